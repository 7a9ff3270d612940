/*
 * Files as they are, of gzip and of bzip2: equal bytes out, in reads of any size; several streams of bzip2 in one file; what
 * breaks off anywhere or is damaged is an error. The bytes were made by Python's bz2.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file/file.h"
#include "base/file/unpack.h"
#include "output/scratch.h"
#include "skip.h"

/* "a b\nb c\n", and "c d\n" */
static const unsigned char first[] = {0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x39, 0xfb,
                                      0x69, 0x55, 0x00, 0x00, 0x02, 0x51, 0x00, 0x00, 0x10, 0x40, 0x00, 0x38,
                                      0x00, 0x20, 0x00, 0x22, 0x1e, 0x8d, 0x06, 0x68, 0x15, 0x2a, 0x18, 0x5d,
                                      0xc9, 0x14, 0xe1, 0x42, 0x40, 0xe7, 0xed, 0xa5, 0x54};
static const unsigned char second[] = {0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x53,
                                       0x28, 0x7b, 0xbb, 0x00, 0x00, 0x01, 0x51, 0x00, 0x00, 0x10, 0x40,
                                       0x00, 0x0c, 0x00, 0x20, 0x00, 0x21, 0x9a, 0x68, 0x33, 0x4d, 0x17,
                                       0x3c, 0x5d, 0xc9, 0x14, 0xe1, 0x42, 0x41, 0x4c, 0xa1, 0xee, 0xec};

static void put(const char *name, const void *a, size_t n, const void *b, size_t m)
{
    FILE *f = fopen(scratch_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(a, 1, n, f), n);
    if (m > 0)
        assert_int_equal(fwrite(b, 1, m, f), m);
    assert_int_equal(fclose(f), 0);
}

/* The whole, in reads of `step`; the status of the last. */
static weir_status take(const char *name, unsigned step, char *out, size_t *n)
{
    weir_diag *diag = weir_diag_new();
    wi_unpack *u = NULL;
    weir_status st = wi_unpack_open(diag, scratch_path(name), false, &u);
    *n = 0;
    for (unsigned got = 1; st == WEIR_OK && got > 0;) {
        st = wi_unpack_read(u, out + *n, step, &got);
        *n += got;
        assert_true(*n < 1000);
    }
    if (st != WEIR_OK && u)
        assert_true(strlen(wi_unpack_why(u)) > 0);
    wi_unpack_close(u);
    weir_diag_free(diag);
    return st;
}

static void expect(const char *name, const char *want)
{
    char out[1100];
    size_t n;
    for (unsigned step = 1; step <= 64; step++) {
        assert_int_equal(take(name, step, out, &n), WEIR_OK);
        assert_int_equal(n, strlen(want));
        assert_memory_equal(out, want, n);
    }
}

static void plain_and_gzip(void **state)
{
    (void)state;
    put("plain", "a b\n", 4, NULL, 0);
    expect("plain", "a b\n");
    put("empty", "", 0, NULL, 0);
    expect("empty", "");
    put("short", "BZ", 2, NULL, 0);
    expect("short", "BZ");
    put("like", "BZh is no digit\n", 16, NULL, 0);
    expect("like", "BZh is no digit\n");
    gzFile gz = gzopen(scratch_path("gz"), "wb");
    assert_int_equal(gzwrite(gz, "a b\n", 4), 4);
    gzclose(gz);
    expect("gz", "a b\n");
}

static void without_bzip2(void)
{
    char out[1100];
    size_t n;
    put("bz2", first, sizeof first, NULL, 0);
    assert_int_equal(take("bz2", 64, out, &n), WEIR_E_FORMAT);
}

/* Whether this build reads bzip2. */
static bool has_bzip2(void)
{
    wi_unpack *u = NULL;
    put("one.bz2", first, sizeof first, NULL, 0);
    const bool has = wi_unpack_open(NULL, scratch_path("one.bz2"), false, &u) == WEIR_OK;
    wi_unpack_close(u);
    return has;
}

static void bzip2(void **state)
{
    (void)state;
    if (!has_bzip2()) {
        without_bzip2();
        return;
    }
    char out[1100];
    size_t n;
    put("one.bz2", first, sizeof first, NULL, 0);
    expect("one.bz2", "a b\nb c\n");
    put("two.txt", first, sizeof first, second, sizeof second);
    expect("two.txt", "a b\nb c\nc d\n");
    for (size_t k = 4; k < sizeof first; k++) {
        put("cut", first, k, NULL, 0);
        assert_int_equal(take("cut", 64, out, &n), WEIR_E_FORMAT);
    }
    for (size_t k = 4; k < sizeof first;
         k++) { /* a checksum covers all; past it lies padding of less than a byte */
        unsigned char damaged[sizeof first];
        memcpy(damaged, first, sizeof first);
        damaged[k] ^= 0x80;
        put("damaged", damaged, sizeof damaged, NULL, 0);
        const weir_status st = take("damaged", 64, out, &n);
        assert_true(st == WEIR_E_FORMAT || (n == 8 && memcmp(out, "a b\nb c\n", 8) == 0));
    }
    put("rest", first, sizeof first, "nonsense", 8);
    assert_int_equal(take("rest", 64, out, &n), WEIR_E_FORMAT);
}

static void whole_file(void **state)
{
    (void)state;
    if (!has_bzip2())
        return;
    char *text;
    size_t n;
    weir_diag *diag = weir_diag_new();
    put("two.bz2", first, sizeof first, second, sizeof second);
    assert_int_equal(wi_file_read(diag, scratch_path("two.bz2"), 100, &text, &n), WEIR_OK);
    assert_string_equal(text, "a b\nb c\nc d\n");
    free(text);
    assert_int_equal(wi_file_read(diag, scratch_path("two.bz2"), 5, &text, &n), WEIR_E_FORMAT);
    assert_null(text);
    put("cut.bz2", first, 20, NULL, 0);
    assert_int_equal(wi_file_read(diag, scratch_path("cut.bz2"), 100, &text, &n), WEIR_E_FORMAT);
    assert_non_null(strstr(weir_diag_get(diag, weir_diag_count(diag) - 1)->text, "breaks off"));
    weir_diag_free(diag);
}

int main(void)
{
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_gzip),
        cmocka_unit_test(bzip2),
        cmocka_unit_test(whole_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
