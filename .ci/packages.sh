# packages.sh: the packages heapcore needs, and how the missing ones arrive.
# Read by bootstrap (say and die are its own).

BUILD_PACKAGES='gcc libc6-dev make pkg-config binutils libelf-dev libzstd-dev
	zlib1g-dev liblzma-dev liblz4-dev zstd'
# The tests strip programs of two architectures, pack cores in every way, and
# let others judge the manual page and the XML.
CHECK_PACKAGES='check clang binutils-x86-64-linux-gnu
	binutils-aarch64-linux-gnu lz4 xz-utils mandoc libxml2-utils'

# clang_runtime: the package with clang's sanitizers, whose name holds the
# version of the distribution's default clang.
clang_runtime() {
	case $(os_release VERSION_ID) in
	12) echo libclang-rt-14-dev ;;
	13) echo libclang-rt-19-dev ;;
	*) echo libclang-rt-dev ;;
	esac
}

# os_release KEY: one value of /etc/os-release, empty when there is none.
os_release() {
	sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" /etc/os-release \
		2>/dev/null
}

# system_libdwarf_will_do: Debian 13 and later have libdwarf 0.11.1 or newer.
# Debian 12's is of 2021; see libdwarf.sh.
system_libdwarf_will_do() {
	[ "$(os_release VERSION_ID)" != 12 ]
}

is_installed() {
	case $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) in
	ii*) return 0 ;;
	esac
	return 1
}

# as_root COMMAND...: runs it as root, through sudo when we are not.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "not root and no sudo; please run as root: $*"
	fi
}

# missing_packages WHAT: the packages for `build` or `check` not installed.
missing_packages() {
	want=$BUILD_PACKAGES
	if system_libdwarf_will_do; then
		want="$want libdwarf-dev"
	fi
	if [ "$1" = check ]; then
		want="$want $CHECK_PACKAGES $(clang_runtime)"
	fi
	if libdwarf_is_to_be_unpacked && ! has_next_archive_key; then
		want="$want debian-archive-keyring+"
	fi
	for p in $want; do
		is_installed "$p" || printf '%s ' "${p%+}"
	done
}

# need_packages WHAT: installs what is missing, and says what.
need_packages() {
	if ! command -v apt-get >/dev/null; then
		say "no apt-get here: expecting these in place:" \
			"$BUILD_PACKAGES, libdwarf 0.11.1 or newer"
		return 0
	fi
	missing=$(missing_packages "$1")
	if [ -z "$missing" ]; then
		return 0
	fi
	say "installing: $missing"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update
	# shellcheck disable=SC2086 # a list of words
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q install -y --no-install-recommends $missing
}
