/* A study's life: read, plan, run, write. */
#include "study/plan/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/common/common.h"
#include "engine/ranks/ranks.h"
#include "schema/tree.h"
#include "study/tables/table.h"
#include "study/earlier.h"
#include "study/folder/folder.h"
#include "study/runs/quota.h"
#include "study/runs/work.h"
#include "weir/digest.h"
#include "weir/ranks.h"

enum { SCENARIO_BYTES_MAX = 16 << 20 };

void weir_study_options_init(weir_study_options *options)
{
    *options = (weir_study_options){0};
}

void weir_study_result_free(weir_study_result *result)
{
    free(result->output_dir);
    *result = (weir_study_result){0};
}

static weir_status no_memory(weir_study *s)
{
    return weir_fail(s->diag, WEIR_E_NOMEM, "no memory for a study");
}

/* ---- opening ---- */

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
        return no_memory(s);
    if (folder && !(s->own_folder = strdup(path)))
        return no_memory(s);
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
        return no_memory(s);
    }
    if (n_sets)
        memcpy(all, sets, n_sets * sizeof *all);
    all[n_sets] = base;
    const wi_yaml_text of = {s->file, text, length};
    weir_status status =
        wi_scenario_apply(s->diag, &of, &(wi_edits){.sets = all, .n_sets = n_sets + 1}, &s->text);
    if (status == WEIR_OK)
        status = wi_scenario_apply(s->diag, &of, &(wi_edits){sets, n_sets, "study"}, &s->base_text);
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
    for (size_t i = 0; i < s->scenario->n_inputs; i++)
        key = weir_digest_bytes(key, s->scenario->inputs[i].sha256, strlen(s->scenario->inputs[i].sha256));
    s->base_key = key;
}

static weir_status keep_sets(weir_study *s, const char *const *sets, size_t n)
{
    s->sets = weir_arena_alloc(s->arena, (n + 1) * sizeof *s->sets, _Alignof(char *));
    for (size_t i = 0; s->sets && i < n; i++) {
        char *copy = weir_arena_alloc(s->arena, strlen(sets[i]) + 1, 1);
        if (!copy)
            return no_memory(s);
        s->sets[s->n_sets++] = strcpy(copy, sets[i]);
    }
    return s->sets ? WEIR_OK : no_memory(s);
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
        char *copy = weir_arena_alloc(s->arena, strlen(name) + 1, 1);
        s->file = copy ? strcpy(copy, name) : "";
        status = weir_scenario_parse(s->diag, s->file, text, length, s->folder_of_files, sets, n_sets,
                                     &s->scenario);
    }
    if (status == WEIR_OK && s->scenario->study.base) { /* a study's own copy lies elsewhere than its files */
        const char *base = s->scenario->study.base;
        char *own = s->folder_of_files;
        if (asprintf(&s->folder_of_files, "%s%s%s", base[0] == '/' ? "" : own, base[0] == '/' ? "" : "/",
                     base) < 0) {
            s->folder_of_files = NULL;
            status = no_memory(s);
        }
        free(own);
    }
    if (status == WEIR_OK)
        status = make_texts(s, text, length, sets, n_sets);
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
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a study");
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

/* ---- running ---- */

static weir_status check_options(weir_study *s, const weir_study_options *o)
{
    if (o->shards > 0 && (o->shard < 1 || o->shard > o->shards))
        return weir_fail(s->diag, WEIR_E_ARG, "shard %u of %u: want a number from 1 to %u", o->shard,
                         o->shards, o->shards);
    return WEIR_OK;
}

/* Checks the names of metrics, unless the journal has rows, which have them. */
static weir_status check_metrics(weir_study *s, const weir_study_options *o)
{
    for (uint32_t i = 0; i < s->n_points; i++)
        if (s->points[i].done > 0)
            return WEIR_OK;
    char *folder = NULL;
    if (asprintf(&folder, "%s/" WI_RUNNING, wi_folder_path(s->folder)) < 0)
        return no_memory(s);
    const weir_status status = wi_metrics_check(s, folder, o);
    free(folder);
    return status;
}

/* Opens the folder, and on rank 0 the work. */
static weir_status prepare(weir_study *s, const weir_study_options *o, wi_work **work)
{
    if (s->ranks && s->ranks->rank > 0)
        return wi_folder_join(s, o, &s->folder);
    return wi_earlier_check(s, o)
            ?: wi_folder_open(s, o, &s->folder)
            ?: check_metrics(s, o)
            ?: wi_folder_put_plan(s->folder, s)
            ?: wi_work_new(s, o, work);
}

enum { SHARED_PART = 4 }; /* share of memory for what runs share: one part in so many */

static void share(weir_study *s, wi_common_use *ended)
{
    s->in_common = ended;
    const double bytes = wi_quota_memory(s->ranks ? s->ranks->on_this_machine : 1);
    s->shared = wi_common_new((uint64_t)(bytes / SHARED_PART)); /* null: runs have nothing in common */
}

static void share_no_more(weir_study *s, weir_study_result *result)
{
    const wi_common_use use = wi_common_used(s->shared), *const ended = s->in_common;
    result->shared_made = use.made + ended->made;
    result->shared_found = use.found + ended->found;
    result->shared_most = use.most > ended->most ? use.most : ended->most;
    wi_common_free(s->shared);
    s->shared = NULL;
    s->in_common = NULL;
}

weir_status weir_study_run(weir_study *s, const weir_study_options *options, weir_study_result *result)
{
    weir_study_options usual;
    wi_work *work = NULL;
    wi_common_use ended = {0};
    *result = (weir_study_result){0};
    weir_study_options_init(&usual);
    const weir_study_options *o = options ? options : &usual;
    weir_status status = check_options(s, o);
    const wi_executor *executor = NULL;
    s->ranks = wi_ranks_of_run();
    status = status ?: wi_executor_choose(s, o, &executor) ?: weir_ranks_same(s->diag, "study", s->text);
    wi_ranks_set_alone(s->ranks != NULL); /* runs are each rank's own from here on */
    share(s, &ended);
    if (status == WEIR_OK)
        status = prepare(s, o, &work);
    wi_ranks_set_alone(0);
    status = weir_ranks_agree(s->diag, status);
    wi_ranks_set_alone(s->ranks != NULL);
    if (status == WEIR_OK)
        executor->run(s, o, work);
    if (status == WEIR_OK && work)
        status = wi_work_end(work, result);
    share_no_more(s, result);
    if (work && (status == WEIR_OK || status == WEIR_E_INTERRUPTED)) {
        const weir_status written = wi_tables_put(s, s->diag, wi_folder_path(s->folder));
        status = written == WEIR_OK ? status : written;
    }
    wi_ranks_set_alone(0);
    if (s->folder && wi_folder_path(s->folder) && !(result->output_dir = strdup(wi_folder_path(s->folder))))
        status = no_memory(s);
    wi_work_free(work);
    wi_folder_close(s->folder);
    s->folder = NULL;
    return weir_ranks_agree(s->diag, status);
}
