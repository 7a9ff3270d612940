/* Pinned down: nothing stands under the final name before commit, whatever ends the run; an old result is
 * never lost; an abort leaves nothing; what weir did not write is not replaced. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file/out.h"
#include "output/results/remove_tree.h"
#include "output/results/results.h"
#include "output/scratch.h"
#include "skip.h"

static weir_diag *diag;

static int setup(void **state)
{
    (void)state;
    diag = weir_diag_new();
    return scratch_make() && diag ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weir_diag_free(diag);
    return wi_remove_tree(scratch_folder);
}

static void assert_message_has(const char *part)
{
    char text[1024] = "";
    const size_t n = weir_diag_count(diag);
    assert_true(n > 0);
    weir_message_format(weir_diag_get(diag, n - 1), text, sizeof text);
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

/* Writes a whole result that holds `mark`. */
static weir_status write_result(const char *path, bool force, const char *mark)
{
    wi_results *results;
    weir_status st = wi_results_open(diag, path, force, &results);
    if (st != WEIR_OK)
        return st;
    st = wi_results_check(diag, results)
             ?: wi_out_put(diag, wi_results_folder(results), "summary.json", mark, strlen(mark));
    if (st == WEIR_OK)
        st = wi_results_commit(diag, results);
    wi_results_free(results);
    return st;
}

static void assert_result_is(const char *path, const char *mark)
{
    char file[512];
    snprintf(file, sizeof file, "%s/summary.json", path);
    char *text = read_text(file);
    assert_non_null(text);
    assert_string_equal(text, mark);
    free(text);
}

static void commit_makes_parents_and_one_folder(void **state)
{
    (void)state;
    const char *path = scratch_path("a/b/run");
    assert_int_equal(write_result(path, false, "new"), WEIR_OK);
    assert_result_is(path, "new");
    assert_int_equal(count_names(scratch_path("a/b")), 1);
    struct stat st;
    const mode_t mask = umask(0);
    umask(mask);
    stat(path, &st);
    assert_int_equal(st.st_mode & 0777, 0777 & ~mask);
}

static void trailing_slash_is_the_same_folder(void **state)
{
    (void)state;
    assert_int_equal(write_result(scratch_path("run///"), false, "new"), WEIR_OK);
    assert_result_is(scratch_path("run"), "new");
}

static void abort_removes_all_that_was_made(void **state)
{
    (void)state;
    wi_results *results;
    assert_int_equal(wi_results_open(diag, scratch_path("a/b/run"), false, &results), WEIR_OK);
    assert_int_equal(wi_out_put(diag, wi_results_folder(results), "flows.csv", "x", 1), WEIR_OK);
    assert_false(exists(scratch_path("a/b/run")));
    wi_results_free(results);
    assert_int_equal(count_names(scratch_folder), 0);
}

static void abort_keeps_parents_that_were_there_or_in_use(void **state)
{
    (void)state;
    wi_results *results;
    assert_int_equal(mkdir(scratch_path("a"), 0777), 0);
    assert_int_equal(wi_results_open(diag, scratch_path("a/b/c/run"), false, &results), WEIR_OK);
    assert_int_equal(wi_out_put(diag, scratch_path("a/b"), "somebody's", "x", 1), WEIR_OK);
    wi_results_free(results);
    assert_true(exists(scratch_path("a/b/somebody's")));
    assert_false(exists(scratch_path("a/b/c")));
}

static void existing_folder_is_refused_without_force(void **state)
{
    (void)state;
    assert_int_equal(write_result(scratch_path("run"), false, "old"), WEIR_OK);
    assert_int_equal(write_result(scratch_path("run"), false, "new"), WEIR_E_IO);
    assert_message_has("--force");
    assert_result_is(scratch_path("run"), "old");
    assert_int_equal(count_names(scratch_folder), 1);
}

static void force_replaces_a_result_and_an_empty_folder(void **state)
{
    (void)state;
    assert_int_equal(write_result(scratch_path("run"), true, "first"), WEIR_OK);
    assert_int_equal(write_result(scratch_path("run"), true, "second"), WEIR_OK);
    assert_result_is(scratch_path("run"), "second");
    assert_int_equal(mkdir(scratch_path("empty"), 0777), 0);
    assert_int_equal(write_result(scratch_path("empty"), true, "third"), WEIR_OK);
    assert_result_is(scratch_path("empty"), "third");
    assert_int_equal(count_names(scratch_folder), 2);
}

static void force_and_abort_keep_the_old_result(void **state)
{
    (void)state;
    wi_results *results;
    assert_int_equal(write_result(scratch_path("run"), false, "old"), WEIR_OK);
    assert_int_equal(wi_results_open(diag, scratch_path("run"), true, &results), WEIR_OK);
    wi_results_free(results);
    assert_result_is(scratch_path("run"), "old");
    assert_int_equal(count_names(scratch_folder), 1);
}

static void force_spares_folders_that_are_no_results(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch_path("home"), 0777), 0);
    assert_int_equal(wi_out_put(diag, scratch_path("home"), "thesis.tex", "x", 1), WEIR_OK);
    assert_int_equal(write_result(scratch_path("home"), true, "new"), WEIR_E_IO);
    assert_message_has("no manifest");
    assert_message_has("thesis.tex");
    assert_true(exists(scratch_path("home/thesis.tex")));
}

/* Whatever a user keeps in the folder of a run stays: pictures, another run, a link, a folder with the name
 * of a result; and the run does not begin. */
static void force_spares_what_the_manifest_does_not_name(void **state)
{
    static const char *const kinds[] = {"picture.png", "runB/", "flows.csv/", ".notes"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[64], mine[128];
        snprintf(path, sizeof path, "run%zu", i);
        snprintf(mine, sizeof mine, "run%zu/%s", i, kinds[i]);
        assert_int_equal(write_result(scratch_path(path), false, "old"), WEIR_OK);
        if (strchr(kinds[i], '/'))
            assert_int_equal(mkdir(scratch_path(mine), 0777), 0);
        else
            assert_int_equal(wi_out_put(diag, scratch_folder, mine, "x", 1), WEIR_OK);
        assert_int_equal(write_result(scratch_path(path), true, "new"), WEIR_E_IO);
        assert_message_has("did not make");
        mine[strcspn(mine, "/") + 1 + strcspn(kinds[i], "/")] = '\0';
        assert_message_has(strchr(mine, '/') + 1);
        assert_true(exists(scratch_path(mine)));
        assert_result_is(scratch_path(path), "old");
    }
}

static void force_spares_a_foreign_summary(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch_path("other"), 0777), 0);
    assert_int_equal(wi_out_put(diag, scratch_path("other"), "summary.json", "{}", 2), WEIR_OK);
    assert_int_equal(write_result(scratch_path("other"), true, "new"), WEIR_E_IO);
    assert_int_equal(wi_out_put(diag, scratch_path("other"), "manifest.json", "{\"name\": \"app\"}", 15),
                     WEIR_OK);
    assert_int_equal(write_result(scratch_path("other"), true, "new"), WEIR_E_IO);
    assert_message_has("manifest.json, summary.json");
    assert_result_is(scratch_path("other"), "{}");
}

static void what_arrives_during_the_run_stays(void **state)
{
    (void)state;
    wi_results *results;
    char kept[256];
    assert_int_equal(write_result(scratch_path("run"), false, "old"), WEIR_OK);
    assert_int_equal(wi_results_open(diag, scratch_path("run"), true, &results), WEIR_OK);
    assert_int_equal(wi_out_put(diag, wi_results_folder(results), "summary.json", "new", 3), WEIR_OK);
    assert_int_equal(wi_out_put(diag, scratch_path("run"), "plot.pdf", "x", 1), WEIR_OK);
    snprintf(kept, sizeof kept, "%s", wi_results_folder(results));
    assert_int_equal(wi_results_commit(diag, results), WEIR_E_IO);
    wi_results_free(results);
    assert_true(exists(scratch_path("run/plot.pdf")));
    assert_result_is(scratch_path("run"), "old");
    assert_result_is(kept, "new");
}

static void a_file_or_a_dead_link_in_the_way_is_refused(void **state)
{
    (void)state;
    assert_int_equal(wi_out_put(diag, scratch_folder, "file", "x", 1), WEIR_OK);
    assert_int_equal(write_result(scratch_path("file"), true, "new"), WEIR_E_IO);
    assert_message_has("is no folder");
    assert_int_equal(write_result(scratch_path("file/run"), false, "new"), WEIR_E_IO);
    assert_int_equal(symlink("nowhere", scratch_path("link")), 0);
    assert_int_equal(write_result(scratch_path("link"), true, "new"), WEIR_E_IO);
    assert_message_has("leads nowhere");
    assert_int_equal(write_result("", false, "new"), WEIR_E_IO);
}

static void force_through_a_link_keeps_the_link(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(write_result(scratch_path("target"), false, "old"), WEIR_OK);
    assert_int_equal(symlink("target", scratch_path("link")), 0);
    assert_int_equal(write_result(scratch_path("link"), true, "new"), WEIR_OK);
    assert_result_is(scratch_path("target"), "new");
    assert_int_equal(lstat(scratch_path("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

/* /dev/null of someone who is root stays what it is. */
static void pipes_and_links_are_written_through(void **state)
{
    (void)state;
    struct stat st;
    char path[600], got[4] = "";
    snprintf(path, sizeof path, "%s", scratch_path("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    const int fd = open(path, O_RDWR | O_NONBLOCK);
    assert_int_equal(wi_out_put_whole(diag, path, "abc", 3), WEIR_OK);
    assert_int_equal(read(fd, got, sizeof got), 3);
    assert_memory_equal(got, "abc", 3);
    close(fd);
    assert_true(lstat(path, &st) == 0 && S_ISFIFO(st.st_mode));
    snprintf(path, sizeof path, "%s", scratch_path("to-file"));
    assert_int_equal(wi_out_put(diag, scratch_folder, "file", "longer", 6), WEIR_OK);
    assert_int_equal(symlink("file", path), 0);
    assert_int_equal(wi_out_put_whole(diag, path, "new", 3), WEIR_OK);
    assert_true(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(stat(scratch_path("file"), &st) == 0 && st.st_size == 3);
}

static void a_name_taken_meanwhile_keeps_both(void **state)
{
    (void)state;
    wi_results *results;
    assert_int_equal(wi_results_open(diag, scratch_path("run"), false, &results), WEIR_OK);
    assert_int_equal(wi_out_put(diag, wi_results_folder(results), "summary.json", "mine", 4), WEIR_OK);
    assert_int_equal(write_result(scratch_path("run"), false, "theirs"), WEIR_OK);
    char kept[256];
    snprintf(kept, sizeof kept, "%s", wi_results_folder(results));
    assert_int_equal(wi_results_commit(diag, results), WEIR_E_IO);
    assert_message_has(kept);
    wi_results_free(results);
    assert_result_is(scratch_path("run"), "theirs");
    assert_result_is(kept, "mine");
}

static void a_folder_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    assert_int_equal(write_result("/proc/weir/run", false, "new"), WEIR_E_IO);
    assert_message_has("/proc/weir");
    if (geteuid() == 0)
        return; /* root may write everywhere */
    assert_int_equal(mkdir(scratch_path("locked"), 0555), 0);
    assert_int_equal(write_result(scratch_path("locked/run"), false, "new"), WEIR_E_IO);
    assert_message_has("Permission denied");
}

/* A process that is killed between its writes. */
static void kill_leaves_no_result(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        wi_results *results;
        if (wi_results_open(NULL, scratch_path("run"), false, &results) != WEIR_OK ||
            wi_out_put(NULL, wi_results_folder(results), "summary.json", "half", 4) != WEIR_OK)
            _exit(1);
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_false(exists(scratch_path("run")));
    assert_int_equal(count_names(scratch_folder), 1); /* the temporary folder, by its name */
    /* The next run names and removes it; one that is still at work stays. */
    wi_results *alive;
    assert_int_equal(wi_results_open(diag, scratch_path("run"), false, &alive), WEIR_OK);
    assert_message_has("left by a run that was killed, and not whole; removed");
    assert_int_equal(count_names(scratch_folder), 1);
    weir_diag_clear(diag);
    assert_int_equal(write_result(scratch_path("run"), false, "new"), WEIR_OK);
    assert_int_equal(weir_diag_count(diag), 0);
    assert_int_equal(count_names(scratch_folder), 2);
    wi_results_free(alive);
}

static void a_full_disk_is_reported_with_the_file(void **state)
{
    (void)state;
    if (!exists("/dev/full")) {
        skip_aloud("no /dev/full here");
    }
    assert_int_equal(wi_out_put(diag, "/dev", "full", "x", 1), WEIR_E_IO);
    assert_message_has("/dev/full: error: cannot be written: No space left on device");
    char *much = calloc(1, 300000);
    assert_int_equal(wi_out_put(diag, "/dev", "full", much, 300000), WEIR_E_IO);
    free(much);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(commit_makes_parents_and_one_folder),
        CASE(trailing_slash_is_the_same_folder),
        CASE(abort_removes_all_that_was_made),
        CASE(abort_keeps_parents_that_were_there_or_in_use),
        CASE(existing_folder_is_refused_without_force),
        CASE(force_replaces_a_result_and_an_empty_folder),
        CASE(force_and_abort_keep_the_old_result),
        CASE(force_spares_folders_that_are_no_results),
        CASE(force_spares_what_the_manifest_does_not_name),
        CASE(force_spares_a_foreign_summary),
        CASE(what_arrives_during_the_run_stays),
        CASE(a_file_or_a_dead_link_in_the_way_is_refused),
        CASE(force_through_a_link_keeps_the_link),
        CASE(pipes_and_links_are_written_through),
        CASE(a_name_taken_meanwhile_keeps_both),
        CASE(a_folder_that_cannot_be_written_is_named),
        CASE(kill_leaves_no_result),
        CASE(a_full_disk_is_reported_with_the_file),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
