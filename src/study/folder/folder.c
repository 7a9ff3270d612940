/* The folder of a study. */
#include "study/folder/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/file/out.h"
#include "output/results/remove_tree.h"
#include "schema/tree.h"
#include "study/folder/row_text.h"

#define STUDY_YAML "study.yaml"
#define RUNS "runs"
enum { STUDY_BYTES_MAX = 16 << 20 };

struct wi_folder {
    char *path;
    int journal; /* locked */
    bool keep_runs;
    bool fresh; /* made by this call, and holds no plan yet */
};

const char *wi_folder_path(const wi_folder *f)
{
    return f->path;
}

static weir_status io_error(weir_diag *diag, const char *path, const char *what)
{
    return weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "%s: %s", what, strerror(errno));
}

/* ---- what stands there ---- */

static weir_status make_folders(weir_diag *diag, const char *path)
{
    WI_FREED char *text = strdup(path);
    weir_status status = text ? WEIR_OK : wi_study_no_memory(diag);
    for (char *at = text ? text + 1 : NULL; at && status == WEIR_OK; at = at ? at + 1 : NULL) {
        at = strchr(at, '/');
        if (at)
            *at = '\0';
        if (mkdir(text, 0777) != 0 && errno != EEXIST)
            status = io_error(diag, text, "the folder cannot be made");
        if (at)
            *at = '/';
        if (!at)
            break;
    }
    return status;
}

/* Files of a study's own; everything else in the folder is the user's. */
static bool is_ours(const char *name)
{
    static const char *const own[] = {STUDY_YAML,      WI_JOURNAL,        "runs.csv",
                                      "aggregate.csv", "differences.csv", "effects.csv"};
    char bare[256];
    snprintf(bare, sizeof bare, "%s", name);
    char *unfinished = strstr(bare, WI_UNFINISHED);
    if (unfinished)
        *unfinished = '\0';
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], bare) == 0)
            return true;
    const size_t n = strlen(bare);
    return n > 9 && strncmp(bare, "plot-", 5) == 0 && strcmp(bare + n - 4, ".svg") == 0;
}

/* Whether a folder holds nothing but files of a study: it is new, or the study was killed before study.yaml
 * was there. */
static bool is_free(const char *folder)
{
    DIR *dir = opendir(folder);
    bool good = dir != NULL;
    for (struct dirent *e = dir ? readdir(dir) : NULL; e && good; e = readdir(dir))
        good = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
               strcmp(e->d_name, WI_RUNNING) == 0 || is_ours(e->d_name);
    if (dir)
        closedir(dir);
    return good;
}

/* Of a folder, what has this name, if anything. */
static weir_status remove_named(weir_diag *diag, const char *folder, const char *name)
{
    WI_FREED char *path = wi_path_join(folder, name);
    if (!path)
        return wi_study_no_memory(diag);
    errno = access(path, F_OK) == 0 ? wi_remove_tree(path) : 0;
    return errno ? io_error(diag, path, "cannot be removed") : WEIR_OK;
}

/* Removes what a folder holds by such names. A folder that is not there holds nothing. */
static weir_status remove_all(weir_diag *diag, const char *folder, bool (*such)(const char *name))
{
    DIR *dir = opendir(folder);
    weir_status status = WEIR_OK;
    for (struct dirent *e; dir && status == WEIR_OK && (e = readdir(dir));)
        if (such(e->d_name))
            status = remove_named(diag, folder, e->d_name);
    if (dir)
        closedir(dir);
    return status;
}

static bool is_of_study(const char *name)
{
    return strcmp(name, RUNS) == 0 || strcmp(name, WI_RUNNING) == 0 || is_ours(name);
}

weir_status wi_folder_differences(const weir_study *s, const char *folder, char *keys, size_t size)
{
    WI_FREED char *path = wi_path_join(folder, STUDY_YAML), *text = NULL;
    size_t length = 0;
    keys[0] = '\0';
    if (!path)
        return wi_study_no_memory(s->diag);
    return wi_file_read(s->diag, path, STUDY_BYTES_MAX, &text, &length)
               ?: wi_scenario_differences(s->diag, &(wi_yaml_text){path, text, length},
                                          &(wi_yaml_text){path, s->text, strlen(s->text)}, keys, size);
}

/* The same scenario? Its study section may have changed: finished runs are known by their settings. */
static weir_status compare(weir_study *s, const char *folder, bool force)
{
    WI_FREED char *path = wi_path_join(folder, STUDY_YAML);
    char keys[1000];
    if (!path)
        return wi_study_no_memory(s->diag);
    if (access(path, F_OK) != 0) {
        if (is_free(folder))
            return WEIR_OK;
        return weir_fail(s->diag, WEIR_E_ARG,
                         "%s exists and is no folder of a study; say -o DIR for another, or move it away",
                         folder);
    }
    const weir_status status = wi_folder_differences(s, folder, keys, sizeof keys);
    if (status != WEIR_OK || !keys[0])
        return status;
    if (force)
        return remove_all(s->diag, folder, is_of_study);
    return weir_fail(s->diag, WEIR_E_ARG,
                     "%s holds a study of another scenario; these keys differ: %s; --force begins anew, -o "
                     "DIR puts the new one elsewhere",
                     folder, keys);
}

/* ---- the journal ---- */

/* Removes a last line that a kill has cut off, so that the next line does not continue it. */
static weir_status cut_journal(weir_diag *diag, int fd, const char *path)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char last = '\n';
    while (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
        end--;
    if (end < 0 || ftruncate(fd, end) != 0)
        return io_error(diag, path, "the journal cannot be written");
    return WEIR_OK;
}

static weir_status open_journal(weir_study *s, wi_folder *f)
{
    WI_FREED char *path = wi_path_join(f->path, WI_JOURNAL);
    weir_status status = WEIR_OK;
    if (!path)
        return wi_study_no_memory(s->diag);
    f->journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (f->journal < 0)
        status = io_error(s->diag, path, "the journal cannot be written");
    else if (flock(f->journal, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        status = weir_fail(s->diag, WEIR_E_ARG, "%s: another weir is at work on this study", f->path);
    else
        status = cut_journal(s->diag, f->journal, path);
    return status;
}

weir_status wi_folder_add(wi_folder *f, const weir_study *s, weir_diag *diag, wi_job job, const wi_row *row)
{
    WI_FREED char *line = wi_row_text(s, job, row, false);
    const size_t size = line ? strlen(line) : 0;
    if (!line)
        return wi_study_no_memory(diag);
    line[size] = '\n'; /* one call, so that a kill leaves a whole line or a piece of the last */
    const ssize_t n = write(f->journal, line, size + 1);
    if (n == (ssize_t)size + 1)
        return WEIR_OK;
    errno = n >= 0 ? ENOSPC : errno;
    return io_error(diag, f->path, "the journal cannot be written");
}

/* ---- folders of runs ---- */

weir_status wi_folder_of_run(wi_folder *f, weir_diag *diag, bool tables, wi_job job, uint64_t key, char **out)
{
    char name[64];
    *out = NULL;
    if (!tables && !f->keep_runs)
        return WEIR_OK;
    snprintf(name, sizeof name, "%s/%016llx-%u", f->keep_runs ? RUNS : WI_RUNNING, (unsigned long long)key,
             job.replication);
    *out = wi_path_join(f->path, name);
    if (!*out)
        return wi_study_no_memory(diag);
    /* A run that died, or that is tried again, may have left a folder of this name. */
    return remove_named(diag, f->path, name);
}

void wi_folder_run_done(wi_folder *f, const char *path)
{
    if (!f->keep_runs)
        wi_remove_tree(path);
}

/* ---- opening and closing ---- */

weir_status wi_folder_put_plan(wi_folder *f, const weir_study *s)
{
    WI_FREED char *path = wi_path_join(f->path, STUDY_YAML);
    if (!path)
        return wi_study_no_memory(s->diag);
    f->fresh = false;
    return wi_out_put_whole(s->diag, path, s->text, strlen(s->text));
}

/* Kept runs are KEY-N; what a killed process has left beside them, results.c calls KEY-N.tmp-... or .old-... */
static bool is_half(const char *name)
{
    return strstr(name, ".tmp-") || strstr(name, ".old-");
}

/* What runs that are not over have left. */
static weir_status remove_halves(weir_diag *diag, const char *folder)
{
    WI_FREED char *runs = wi_path_join(folder, RUNS);
    weir_status status = runs ? remove_named(diag, folder, WI_RUNNING) : wi_study_no_memory(diag);
    return status ?: remove_all(diag, runs, is_half);
}

char *wi_folder_name(const weir_study *s, const weir_study_options *options)
{
    char *name = NULL;
    if (options->output_dir || s->own_folder)
        return strdup(options->output_dir ? options->output_dir : s->own_folder);
    return asprintf(&name, "results/%s-study", s->scenario->name) < 0 ? NULL : name;
}

weir_status wi_folder_join(weir_study *s, const weir_study_options *options, wi_folder **out)
{
    wi_folder *f = calloc(1, sizeof *f);
    *out = f;
    if (!f)
        return wi_study_no_memory(s->diag);
    f->journal = -1;
    f->keep_runs = options->keep_runs;
    f->path = wi_folder_name(s, options);
    return f->path ? WEIR_OK : wi_study_no_memory(s->diag);
}

/* Makes the folder that holds the folders of runs. A run would make it too, and remove it again while others
 * begin to use it. */
static weir_status make_place_of_runs(const weir_study *s, const wi_folder *f)
{
    WI_FREED char *path = wi_path_join(f->path, f->keep_runs ? RUNS : WI_RUNNING);
    weir_status status = path ? WEIR_OK : wi_study_no_memory(s->diag);
    if (path && (s->wants_tables || f->keep_runs) && mkdir(path, 0777) != 0 && errno != EEXIST)
        status = io_error(s->diag, path, "the folder cannot be made");
    return status;
}

weir_status wi_folder_open(weir_study *s, const weir_study_options *options, wi_folder **out)
{
    weir_status status = wi_folder_join(s, options, out);
    wi_folder *const f = *out;
    if (status == WEIR_OK)
        f->fresh = access(f->path, F_OK) != 0;
    return status
            ?: make_folders(s->diag, f->path)
            ?: compare(s, f->path, options->force)
            ?: open_journal(s, f)
            ?: remove_halves(s->diag, f->path)
            ?: make_place_of_runs(s, f)
            ?: wi_journal_load(s, f->path, options->retry ? WI_FAILED_NONE : WI_FAILED_DEAD);
}

void wi_folder_close(wi_folder *f)
{
    if (!f)
        return;
    if (f->journal >= 0) {
        (void)remove_halves(NULL, f->path); /* of runs that died */
        if (f->fresh)                       /* the study was refused */
            (void)wi_remove_tree(f->path);
        close(f->journal);
    }
    free(f->path);
    free(f);
}

void wi_folder_leave(wi_folder *f)
{
    if (f && f->journal >= 0) {
        close(f->journal);
        f->journal = -1;
    }
}
