/*
 * Files of sections: what was put is what is taken; a file that is damaged anywhere, or cut off anywhere, is refused
 * and says what is wrong; and until a file is whole, the one before it stands under its name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diag.h"

#include "base/file/saved.h"
#include "splitmix.h"

static char folder[64], path[128];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/weir-saved-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/run.checkpoint", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Sections of bytes that follow from the seed. */
static void put_random(wi_saver *to, uint64_t seed, size_t n_sections, size_t most)
{
    uint64_t at = seed;
    for (size_t i = 0; i < n_sections; i++) {
        char name[WI_SAVED_NAME];
        snprintf(name, sizeof name, "part %zu", i);
        wi_saver_section(to, name);
        for (size_t left = rnd(&at) % (most + 1); left > 0;) {
            unsigned char piece[100];
            const size_t n = 1 + rnd(&at) % sizeof piece, size = n < left ? n : left;
            for (size_t k = 0; k < size; k++)
                piece[k] = (unsigned char)rnd(&at);
            wi_saver_put(to, piece, size);
            left -= size;
        }
    }
}

static void expect_random(const wi_saved *from, uint64_t seed, size_t n_sections, size_t most)
{
    uint64_t at = seed;
    for (size_t i = 0; i < n_sections; i++) {
        char name[WI_SAVED_NAME];
        wi_saved_part part;
        snprintf(name, sizeof name, "part %zu", i);
        assert_true(wi_saved_find(from, name, &part));
        for (size_t left = rnd(&at) % (most + 1); left > 0;) {
            unsigned char piece[100];
            const size_t n = 1 + rnd(&at) % sizeof piece, size = n < left ? n : left;
            wi_saved_read(&part, piece, size);
            for (size_t k = 0; k < size; k++)
                assert_int_equal(piece[k], (unsigned char)rnd(&at));
            left -= size;
        }
        assert_int_equal(wi_saved_done(NULL, from, &part), WEIR_OK);
    }
}

static void save(uint64_t seed, size_t n, size_t most)
{
    weir_diag *diag = weir_diag_new();
    wi_saver *to;
    expect_ok(diag, wi_saver_open(diag, path, &to));
    put_random(to, seed, n, most);
    expect_ok(diag, wi_saver_commit(diag, to));
    weir_diag_free(diag);
}

static void what_was_put_is_taken(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        weir_diag *diag = weir_diag_new();
        const size_t n = seed % (WI_SAVED_SECTIONS + 1), most = seed % 3 == 0 ? 300000 : 300;
        wi_saved *from;
        save(seed, n, most);
        expect_ok(diag, wi_saved_open(diag, path, &from));
        expect_random(from, seed, n, most);
        wi_saved_part part;
        assert_false(wi_saved_find(from, "another", &part));
        assert_null(wi_saved_view(&part, 1));
        assert_true(part.is_short);
        wi_saved_close(from);
        weir_diag_free(diag);
    }
}

static unsigned char *read_all(size_t *n)
{
    FILE *f = fopen(path, "rb");
    struct stat about;
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &about), 0);
    *n = (size_t)about.st_size;
    unsigned char *all = malloc(*n + 1);
    assert_int_equal(fread(all, 1, *n, f), *n);
    fclose(f);
    return all;
}

static void write_all(const unsigned char *all, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(all, 1, n, f), n);
    fclose(f);
}

static bool is_refused(void)
{
    weir_diag *diag = weir_diag_new();
    wi_saved *from;
    const weir_status status = wi_saved_open(diag, path, &from);
    assert_true(status == WEIR_OK || (status == WEIR_E_FORMAT && !from && weir_diag_count(diag) == 1));
    wi_saved_close(from);
    weir_diag_free(diag);
    return status == WEIR_E_FORMAT;
}

/* Any byte but padding; any length. */
static void damage_is_refused(void **state)
{
    (void)state;
    size_t n, kept = 0;
    save(7, 5, 60);
    unsigned char *all = read_all(&n);
    for (size_t i = 0; i < n; i++) {
        all[i] ^= 0x40;
        write_all(all, n);
        kept += !is_refused();
        all[i] ^= 0x40;
        write_all(all, i);
        assert_true(is_refused());
    }
    assert_in_range(kept, 0, 5 * 7); /* padding: up to 7 bytes a section */
    write_all(all, n);
    assert_false(is_refused());
    free(all);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    wi_saved *from;
    wi_saved_part part;
    unsigned char two[2];
    size_t n;
    unlink(path);
    assert_int_equal(wi_saved_open(diag, path, &from), WEIR_E_IO);
    assert_int_equal(wi_saved_open(diag, folder, &from), WEIR_E_FORMAT);
    expect_message(diag, "no checkpoint of weir");
    wi_saver *to;
    expect_ok(diag, wi_saver_open(diag, path, &to));
    wi_saver_section(to, "alpha");
    wi_saver_put(to, "abc", 3);
    expect_ok(diag, wi_saver_commit(diag, to));
    expect_ok(diag, wi_saved_open(diag, path, &from));
    assert_true(wi_saved_find(from, "alpha", &part));
    wi_saved_read(&part, two, 2);
    assert_int_equal(wi_saved_done(diag, from, &part), WEIR_E_FORMAT);
    expect_message(diag, "section 'alpha' is longer");
    wi_saved_read(&part, two, 2);
    assert_true(two[0] == 0 && two[1] == 0);
    assert_int_equal(wi_saved_done(diag, from, &part), WEIR_E_FORMAT);
    expect_message(diag, "section 'alpha' is shorter");
    wi_saved_close(from);
    unsigned char *all = read_all(&n);
    all[32] = 'X'; /* the first section's first byte */
    write_all(all, n);
    assert_int_equal(wi_saved_open(diag, path, &from), WEIR_E_FORMAT);
    expect_message(diag, "section 'alpha' has another checksum");
    all[16] = 9;
    write_all(all, n);
    assert_int_equal(wi_saved_open(diag, path, &from), WEIR_E_FORMAT);
    expect_message(diag, "format 9 of another version");
    free(all);
    expect_ok(diag, wi_saver_open(diag, path, &to));
    wi_saver_section(to, "twice");
    wi_saver_section(to, "twice");
    assert_int_equal(wi_saver_commit(diag, to), WEIR_E_ARG);
    weir_diag_free(diag);
}

/* A process that is killed while it writes leaves the file before it, whole; so does one that gives up. */
static void the_last_whole_one_stands(void **state)
{
    (void)state;
    for (uint64_t turn = 0; turn < 12; turn++) {
        weir_diag *diag = weir_diag_new();
        wi_saved *from;
        wi_saver *to;
        save(100, 4, 5000);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (wi_saver_open(NULL, path, &to) == WEIR_OK) {
                put_random(to, 200, 4, 5000);
                usleep((useconds_t)(turn * 400));
                (void)!wi_saver_commit(NULL, to);
            }
            for (;;)
                pause();
        }
        usleep((useconds_t)(turn * 450));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        expect_ok(diag, wi_saved_open(diag, path, &from));
        wi_saved_part part;
        assert_true(wi_saved_find(from, "part 0", &part));
        uint64_t first = 100, second = 200;
        const bool is_old = part.left == rnd(&first) % 5001;
        assert_true(is_old || part.left == rnd(&second) % 5001);
        expect_random(from, is_old ? 100 : 200, 4, 5000);
        wi_saved_close(from);
        expect_ok(diag, wi_saver_open(diag, path, &to));
        put_random(to, 300, 2, 50);
        if (turn % 2 == 0) {
            wi_saver_drop(to);
        } else {
            wi_saver_fail(to, WEIR_E_NOMEM);
            assert_int_equal(wi_saver_commit(diag, to), WEIR_E_NOMEM);
        }
        expect_ok(diag, wi_saved_open(diag, path, &from));
        expect_random(from, is_old ? 100 : 200, 4, 5000);
        wi_saved_close(from);
        char left[200];
        snprintf(left, sizeof left, "%s.tmp-%ld", path, (long)child);
        unlink(left);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_taken), cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(what_is_wrong_is_said), cmocka_unit_test(the_last_whole_one_stands)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
