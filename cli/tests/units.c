// units.c: what of cli is easier to ask in C than in a shell.
#include "cli/escape.h"
#include "cli/options.h"
#include "cli/out.h"
#include "cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned n_tests, n_failed;

static void says(bool ok, const char *claim)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++n_tests, claim);
	n_failed += !ok;
}

static bool becomes(enum escape_for who, const char *in, const char *want)
{
	char out[512];
	size_t wrote, len = strlen(in);
	bool whole = escape(who, in, len, out, sizeof(out), &wrote) == len;
	if (whole && wrote == strlen(want) && memcmp(out, want, wrote) == 0)
		return true;
	printf("# '%.*s' instead of '%s'\n", (int)wrote, out, want);
	return false;
}

static void terminal_tests(void)
{
	enum escape_for t = ESCAPE_TERMINAL;
	says(becomes(t, "map[string]*main.Node", "map[string]*main.Node"),
	     "a Go type name is left as it is");
	says(becomes(t, "\x1b]0;x\x07", "\\x1b]0;x\\x07"),
	     "terminal control sequences cannot act");
	says(becomes(t, "a\nb\tc\rd\x7f", "a\\nb\\tc\\x0dd\\x7f"),
	     "a name stays on its line");
	says(becomes(t, "\xc2\x9b" "31m", "\\u009b31m"),
	     "C1 controls in UTF-8 cannot act");
	says(becomes(t, "\x9b" "31m", "\\x9b31m"), "nor can bare C1 bytes");
	says(becomes(t, "a\xe2\x80\xae" "b", "a\\u202eb"),
	     "text cannot be turned around");
	says(becomes(t, "\xe4\xb8\x96\xe7\x95\x8c.\xc3\xa9",
		     "\xe4\xb8\x96\xe7\x95\x8c.\xc3\xa9"),
	     "letters of all scripts are letters");
	says(becomes(t, "\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82",
		     "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82"),
	     "overlong, surrogate, too large and cut UTF-8 shows as bytes");
}

static void markup_tests(void)
{
	says(becomes(ESCAPE_DOT, "struct { A int \"json:\\\"a\\\"\" }",
		     "struct { A int \\\"json:\\\\\\\"a\\\\\\\"\\\" }"),
	     "DOT: quotes and backslashes of a struct tag");
	says(becomes(ESCAPE_DOT, "a&lt;b\n\x01", "a&amp;lt;b\\\\n\\\\x01"),
	     "DOT: entities and controls are text");
	says(becomes(ESCAPE_XML, "<a href=\"x\">&'\x02\xff",
		     "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\\x02\\xff"),
	     "XML: markup is text, and no forbidden characters");
	says(becomes(ESCAPE_XML, "\xef\xbf\xbe", "\\ufffe"),
	     "XML: no noncharacters");
	says(becomes(ESCAPE_JSON, "\"\\\n\x1b", "\\\"\\\\\\u000a\\u001b"),
	     "JSON: quotes, backslashes and controls");
	says(becomes(ESCAPE_JSON, "\xff" "a\xc3", "\xef\xbf\xbd" "a\xef\xbf\xbd"),
	     "JSON: bytes that are no UTF-8 become U+FFFD");
	says(becomes(ESCAPE_JSON, "\xf3\xa0\x80\x81", "\\udb40\\udc01"),
	     "JSON: an unseen character beyond 16 bits is a surrogate pair");
}

// Every byte pair, and every 3-byte run that starts like UTF-8, in all four
// languages: something is taken, and what comes out is visible UTF-8.
static void sweep_test(void)
{
	bool ok = true;
	for (unsigned who = 0; who < 4; who++) {
		for (unsigned i = 0; i < 1u << 24; i += i < 1u << 16 ? 1 : 61) {
			char in[3] = { (char)(i & 255), (char)(i >> 8 & 255),
				       (char)(i >> 16) }, out[128];
			size_t wrote, took = escape((enum escape_for)who, in,
						    3, out, sizeof(out),
						    &wrote);
			ok = ok && took == 3 && wrote <= 3 * ESCAPE_MAX;
			for (size_t k = 0; k < wrote && ok;) {
				uint32_t c = 0;
				size_t n = utf8_take(out + k, wrote - k, &c);
				ok = n > 0 && c >= 0x20 && c != 0x7f &&
				     (c < 0x80 || c >= 0xa0);
				k += n;
			}
		}
	}
	says(ok, "whatever goes in, visible UTF-8 comes out");
}

static void cut_test(void)
{
	char in[300], out[64], all[4000];
	size_t n = 0, len = sizeof(in);
	memset(in, '\x1b', len);
	for (size_t at = 0; at < len;) {
		size_t wrote;
		at += escape(ESCAPE_TERMINAL, in + at, len - at, out,
			     sizeof(out), &wrote);
		memcpy(all + n, out, wrote);
		n += wrote;
	}
	says(n == 4 * len, "a long name is escaped piece by piece");
}

static bool size_is(const char *text, uint64_t want)
{
	uint64_t got = 12345;
	return parse_size(text, &got) == HC_OK && got == want;
}

static bool size_bad(const char *text)
{
	uint64_t got = 12345;
	return parse_size(text, &got) != HC_OK && got == 12345;
}

static void parse_tests(void)
{
	taddr at = 1;
	says(size_is("0", 0) && size_is("4096", 4096) && size_is("0x10", 16) &&
	     size_is("1k", 1024) && size_is("12M", 12 << 20) &&
	     size_is("2GiB", UINT64_C(2) << 30) && size_is("3 MB", 3 << 20),
	     "sizes are plain, hexadecimal, or in units of 1024");
	says(size_bad("") && size_bad("x") && size_bad("1x") &&
	     size_bad("-1") && size_bad("1.5M") && size_bad("0x") &&
	     size_bad("99999999999999999999") && size_bad("16E") && size_bad("17179869184G") &&
	     size_bad("1MiBx"),
	     "what is no size, or too large, is refused");
	says(parse_addr("0xc000012345", &at) == HC_OK && at == 0xc000012345 &&
	     parse_addr("C000012345", &at) == HC_OK && at == 0xc000012345,
	     "addresses are hexadecimal, with or without 0x");
	says(parse_addr("core", &at) && parse_addr("", &at) &&
	     parse_addr("0x", &at) && parse_addr("0x12345678901234567", &at) &&
	     at == 0xc000012345, "what is no address is refused");
}

static void word_tests(void)
{
	says(strcmp(word_size(0, false).at, "0 B") == 0 &&
	     strcmp(word_size(1023, false).at, "1023 B") == 0 &&
	     strcmp(word_size(1024, false).at, "1.0 KB") == 0 &&
	     strcmp(word_size(12897485, false).at, "12.3 MB") == 0 &&
	     strcmp(word_size((1 << 20) - 1, false).at, "1.0 MB") == 0 &&
	     strcmp(word_size(UINT64_MAX, false).at, "16.0 EB") == 0 &&
	     strcmp(word_size(UINT64_MAX, true).at,
		    "18446744073709551615") == 0,
	     "sizes are short for people and exact when asked");
	says(strcmp(word_count(1234567).at, "1,234,567") == 0 &&
	     strcmp(word_count(123).at, "123") == 0 &&
	     strcmp(word_count(UINT64_MAX).at,
		    "18,446,744,073,709,551,615") == 0,
	     "counts have separators");
	says(strcmp(word_percent(1, 3).at, "33.3%") == 0 &&
	     strcmp(word_percent(1, 1000000).at, "<0.1%") == 0 &&
	     strcmp(word_percent(0, 0).at, "0.0%") == 0,
	     "a share that is not nothing does not look like nothing");
	says(strcmp(word_time(UINT64_C(312000000000)).at, "5m12s") == 0 &&
	     strcmp(word_time(0).at, "0us") == 0 &&
	     strcmp(word_time(UINT64_C(90061) * 1000000000).at, "1d1h") == 0,
	     "times are in the two largest units");
}

static void nearest_tests(void)
{
	static const char *const names[] = { "stats", "objects", "objgraph",
					     "reachable" };
	const char *n1 = nearest("statz", names, sizeof(names[0]), 4);
	const char *n2 = nearest("obejcts", names, sizeof(names[0]), 4);
	const char *n3 = nearest("reach", names, sizeof(names[0]), 4);
	says(n1 && strcmp(n1, "stats") == 0 && n2 &&
	     strcmp(n2, "objects") == 0 && n3 && strcmp(n3, "reachable") == 0,
	     "a mistyped or cut word finds its command");
	says(!nearest("x", names, sizeof(names[0]), 4) &&
	     !nearest("core.4711", names, sizeof(names[0]), 4) &&
	     !nearest("", names, sizeof(names[0]), 4),
	     "a word that is near nothing finds nothing");
}

static void *write_seven(void *at)
{
	*(int *)at = 7;
	return NULL;
}

// in_sandbox tries what must fail and what must work, as bits: 1 for a file
// that opened, 2 a socket, 4 a program, 8 a removal, 16 work that failed.
static int in_sandbox(bool names, const char *path)
{
	char *const argv[] = { NULL };
	pthread_t thread;
	int seven = 0, bad = 0;
	if (!sandbox_enter(names))
		return 32;
	bad |= open("/dev/null", O_RDONLY) >= 0 ? 1 : 0;
	char other[64];
	snprintf(other, sizeof(other), "%s.new", path);
	int new = open(other, O_WRONLY | O_CREAT | O_EXCL, 0600);
	bad |= (new >= 0) != names ? 1 : 0;
	unlink(other);
	bad |= open(path, O_WRONLY | O_CREAT, 0600) >= 0 ? 1 : 0;
	bad |= socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 2 : 0;
	bad |= execv("/bin/true", argv) == 0 || errno != EPERM ? 4 : 0;
	bad |= (unlink(path) == 0) != names ? 8 : 0;
	void *m = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED || pthread_create(&thread, NULL, write_seven,
					      &seven) != 0 ||
	    pthread_join(thread, NULL) != 0 || seven != 7)
		bad |= 16;
	return bad;
}

static void sandbox_tests(void)
{
	for (int names = 0; names < 2; names++) {
		char path[] = "/tmp/heapcore-units-XXXXXX";
		int status, fd = mkstemp(path);
		pid_t child;
		fflush(stdout);
		child = fork();
		if (child == 0)
			_exit(in_sandbox(names, path));
		waitpid(child, &status, 0);
		close(fd);
		unlink(path);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 32) {
			printf("ok %u - the sandbox # skip not in this build "
			       "or system\n", ++n_tests);
			continue;
		}
		printf("# status %d\n", status);
		says(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		     names ? "with an output only its name may still change" :
			     "in the sandbox there is work, and nothing else");
	}
}

int main(void)
{
	sandbox_tests();
	terminal_tests();
	markup_tests();
	sweep_test();
	cut_test();
	parse_tests();
	word_tests();
	nearest_tests();
	printf("1..%u\n", n_tests);
	return n_failed > 0;
}
