# moar.awk: the answers of moar-ha to `summary`, `top N objects by count`,
# `top N objects by size` and `top N frames by size`, in this order.
#
# Prints `objects N`, `frames N`, `references N`, `bytes N` (the total less
# that of the frames, which lie on stacks) and `type COUNT BYTES NAME`.
function number(text)
{
	gsub(/,/, "", text)
	return text + 0
}

# row: the name, padded with blanks, and the number that ends the line.
function row()
{
	sub(/ bytes *$/, "")
	value = number($NF)
	sub(/ +[0-9,]+ *$/, "")
	return $0
}

/Total heap size: /   { total = number($(NF - 1)) }
/Total objects: /     { print "objects", number($NF) }
/Total frames: /      { print "frames", number($NF) }
/Total references: /  { print "references", number($NF) }
/^(> )?Name +(Count|Total Bytes) *$/ { table++; next }
/^=+ / || table == 0  { next }
/^ *$/ || /^> /       { next }
table == 1            { name = row(); count[name] = value }
table == 2            { name = row(); bytes[name] = value }
table == 3            { row(); frames += value }

END {
	print "bytes", total - frames
	for (name in count)
		print "type", count[name], bytes[name], name
}
