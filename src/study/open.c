/* Opening a study: its file, what the command line sets, its plan. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "schema/tree.h"
#include "study/plan/study.h"
#include "study/tables/table.h"
#include "weir/digest.h"

enum { SCENARIO_BYTES_MAX = 16 << 20 };

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The scenario's file: the path itself, or the one that the folder of a study keeps. */
static weir_status find_file(weir_study *s, const char *path, char **out)
{
    const bool folder = is_folder(path);
    *out = NULL;
    if (asprintf(out, folder ? "%s/study.yaml" : "%s", path) < 0)
        return wi_study_no_memory(s->diag);
    if (folder && !(s->own_folder = strdup(path)))
        return wi_study_no_memory(s->diag);
    if (folder && access(*out, F_OK) != 0)
        return weir_fail(s->diag, WEIR_E_IO, "%s is a folder, and no study: it holds no study.yaml", path);
    return WEIR_OK;
}

static char *folder_of(const char *file)
{
    const char *slash = strcmp(file, "-") == 0 ? NULL : strrchr(file, '/');
    WI_FREED char *folder = slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    return real;
}

/* The file with what the command line sets, as the study keeps it, and as its runs begin with. */
static weir_status make_texts(weir_study *s, const char *text, size_t length, const char *const *sets,
                              size_t n_sets)
{
    char *base = NULL;
    const char **all = calloc(n_sets + 2, sizeof *all);
    if (!all || asprintf(&base, "study.base=\"%s\"", s->folder_of_files) < 0) {
        free(all);
        return wi_study_no_memory(s->diag);
    }
    if (n_sets)
        memcpy(all, sets, n_sets * sizeof *all);
    all[n_sets] = base;
    const wi_yaml_text of = {s->file, text, length};
    weir_status status =
        wi_scenario_apply(s->diag, &of, &(wi_edits){.sets = all, .n_sets = n_sets + 1}, &s->text);
    status = status ?: wi_scenario_apply(s->diag, &of, &(wi_edits){sets, n_sets, "study"}, &s->base_text);
    s->base_length = s->base_text ? strlen(s->base_text) : 0;
    free(all);
    free(base);
    return status;
}

/* Digests what decides the results of a run, apart from its settings. */
static void make_key(weir_study *s)
{
    uint64_t key = weir_digest_bytes(WEIR_DIGEST_START, WEIR_VERSION, strlen(WEIR_VERSION));
    key = weir_digest_bytes(key, s->base_text, s->base_length);
    s->base_key = wi_plan_inputs(key, s->scenario);
}

static weir_status keep_sets(weir_study *s, const char *const *sets, size_t n)
{
    s->sets = weir_arena_alloc(s->arena, (n + 1) * sizeof *s->sets, _Alignof(char *));
    for (size_t i = 0; s->sets && i < n; i++) {
        if (!(s->sets[i] = wi_text_copy(s->arena, sets[i], strlen(sets[i]))))
            return wi_study_no_memory(s->diag);
        s->n_sets++;
    }
    return s->sets ? WEIR_OK : wi_study_no_memory(s->diag);
}

static weir_status read_scenario(weir_study *s, const char *path, const char *const *sets, size_t n_sets)
{
    char *file = NULL, *text = NULL;
    size_t length = 0;
    weir_status status =
        find_file(s, path, &file) ?: wi_file_read(s->diag, file, SCENARIO_BYTES_MAX, &text, &length);
    if (status == WEIR_OK && !(s->folder_of_files = folder_of(file)))
        status = weir_fail(s->diag, WEIR_E_IO, "%s: its folder: %s", file, strerror(errno));
    if (status == WEIR_OK) {
        const char *name = strcmp(file, "-") == 0 ? "stdin" : file;
        const char *copy = wi_text_copy(s->arena, name, strlen(name));
        s->file = copy ? copy : "";
        status = weir_scenario_parse(s->diag, s->file, text, length, s->folder_of_files, sets, n_sets,
                                     &s->scenario);
    }
    if (status == WEIR_OK && s->scenario->study.base) { /* a study's own copy lies elsewhere than its files */
        const char *base = s->scenario->study.base;
        char *own = s->folder_of_files;
        if (asprintf(&s->folder_of_files, "%s%s%s", base[0] == '/' ? "" : own, base[0] == '/' ? "" : "/",
                     base) < 0) {
            s->folder_of_files = NULL;
            status = wi_study_no_memory(s->diag);
        }
        free(own);
    }
    status = status ?: make_texts(s, text, length, sets, n_sets);
    s->read_text = text;
    s->read_length = length;
    free(file);
    return status ?: keep_sets(s, sets, n_sets);
}

weir_status weir_study_open(weir_diag *diag, const char *path, const char *const *sets, size_t n_sets,
                            const weir_study_options *options, weir_study **out)
{
    static weir_status (*const checks[])(weir_study *) = {wi_metrics_make, wi_baseline_check, wi_plots_check,
                                                          wi_tables_check};
    weir_study *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s)
        s->arena = weir_arena_new(1 << 16);
    if (!s || !s->arena) {
        free(s);
        return wi_study_no_memory(diag);
    }
    s->diag = diag;
    weir_status status = read_scenario(s, path, sets, n_sets);
    if (status == WEIR_OK) {
        make_key(s);
        status = wi_plan_make(s, options && options->yes);
    }
    for (size_t i = 0; status == WEIR_OK && i < sizeof checks / sizeof *checks; i++)
        status = checks[i](s);
    if (status == WEIR_OK)
        *out = s;
    else
        weir_study_free(s);
    return status;
}

void weir_study_free(weir_study *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n_points; i++) {
        for (uint32_t r = 0; r < s->points[i].rooms; r++)
            wi_row_free(s->points[i].row[r]);
        free(s->points[i].row);
    }
    free(s->points);
    free(s->text);
    free(s->base_text);
    free(s->read_text);
    free(s->folder_of_files);
    free(s->own_folder);
    weir_scenario_free(s->scenario);
    weir_arena_free(s->arena);
    free(s);
}
