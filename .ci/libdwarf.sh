# libdwarf.sh: on Debian 12, the next release's libdwarf in a private folder.
# Read by bootstrap (say and die are its own).
#
# Debian 12's libdwarf is of 2021: double frees on bad input, lost location
# lists. The next release's static library links against Debian 12 as it is,
# so its package is unpacked, not installed. apt-get runs here with lists,
# caches and sources of its own; the system's are read, never changed.

LIBDWARF_SUITE=trixie
LIBDWARF_DIR=third_party/libdwarf
KEYRINGS=/usr/share/keyrings

libdwarf_is_to_be_unpacked() {
	! system_libdwarf_will_do && ! has_private_libdwarf
}

has_private_libdwarf() {
	[ -f $LIBDWARF_DIR/usr/include/libdwarf/libdwarf.h ] || return 1
	for a in $LIBDWARF_DIR/usr/lib/*/libdwarf.a; do
		[ -f "$a" ] && return 0
	done
	return 1
}

has_next_archive_key() {
	[ -f $KEYRINGS/debian-archive-$LIBDWARF_SUITE-stable.gpg ]
}

# write_private_config DIR: an apt configuration whose every changing file lies
# under DIR. The hooks go too: they tidy the system's caches.
write_private_config() {
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
	cat >"$1/apt.conf" <<END
Dir::State "$1/state";
Dir::State::lists "$1/state/lists";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$1/cache";
Dir::Log "$1";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Translations::DefaultEnabled "false";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
END
}

# private_apt DIR ARG...: apt-get with that configuration.
private_apt() {
	config=$1/apt.conf
	shift
	apt-get -q -c "$config" "$@"
}

# debian_archives DIR ARG...: the addresses of Debian's own archive among the
# system's sources, whatever their format. Only one whose signed Release file
# says that its origin is Debian counts, so no other vendor's entry is taken.
debian_archives() {
	dir=$1
	shift
	# shellcheck disable=SC2016 # apt-get fills it in
	private_apt "$dir" "$@" indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
		'Component: main' "Codename: $(os_release VERSION_CODENAME)"
}

# debian_mirror DIR: the first of them, by the system's own lists when it has
# some, else by lists fetched into DIR.
debian_mirror() {
	found=$(debian_archives "$1" -o Dir::State::lists=/var/lib/apt/lists |
		head -n 1)
	if [ -z "$found" ]; then
		private_apt "$1" update >&2
		found=$(debian_archives "$1" | head -n 1)
	fi
	[ -n "$found" ] && printf '%s\n' "$found"
}

# unpack_libdwarf DIR: fetches the package and lays it into LIBDWARF_DIR.
unpack_libdwarf() {
	write_private_config "$1"
	mirror=$(debian_mirror "$1") ||
		die "no source of Debian itself is among apt's sources"
	say "unpacking $LIBDWARF_SUITE's libdwarf-dev into $LIBDWARF_DIR"
	echo "deb [signed-by=$KEYRINGS/debian-archive-keyring.gpg]" \
		"$mirror $LIBDWARF_SUITE main" >"$1/sources.list"
	cat >>"$1/apt.conf" <<END
Dir::Etc::SourceList "$1/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
END
	private_apt "$1" update
	mkdir "$1/package"
	if [ "$(id -u)" = 0 ]; then
		chown _apt "$1/package"
	fi
	(cd "$1/package" && private_apt "$1" download libdwarf-dev)
	rm -rf "$LIBDWARF_DIR.new"
	mkdir -p "$LIBDWARF_DIR.new"
	dpkg-deb -x "$1"/package/libdwarf-dev_*.deb "$LIBDWARF_DIR.new"
	rm -rf "$LIBDWARF_DIR"
	mv "$LIBDWARF_DIR.new" "$LIBDWARF_DIR"
}

need_libdwarf() {
	if ! command -v apt-get >/dev/null || ! libdwarf_is_to_be_unpacked; then
		return 0
	fi
	has_next_archive_key ||
		die "debian-archive-keyring lacks $LIBDWARF_SUITE's key"
	tmp=$(mktemp -d)
	chmod 755 "$tmp"
	trap 'rm -rf "$tmp"' EXIT
	unpack_libdwarf "$tmp"
	rm -rf "$tmp"
	trap - EXIT
	has_private_libdwarf || die "the package holds no libdwarf.a"
}
