/* Files of named sections; see saved.h. */
#include "base/file/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file/abandoned.h"
#include "base/file/out.h"
#include "base/sha256.h"

enum { FORMAT = 1 };

typedef struct head {
    char magic[16];
    uint64_t format, bytes; /* of the sections, padding included */
} head;

typedef struct entry {
    char name[WI_SAVED_NAME];
    uint64_t at, bytes, crc;
} entry;

typedef struct tail {
    uint64_t list_at, n, list_crc;
    char magic[8];
} tail;

static const char head_magic[16] = "weir-saved\n", tail_magic[8] = {'w', 'e', 'i', 'r', '-', 'e', 'n', 'd'};

static uint64_t crc_of(uint64_t crc, const void *data, size_t bytes)
{
    return crc32_z((uLong)crc, data, bytes);
}

/* ---- writing ---- */

struct wi_saver {
    wi_out *file;
    char *path;
    uint64_t at; /* bytes written */
    entry entries[WI_SAVED_SECTIONS];
    size_t n;
    weir_status failed;
};

static void clean_one(void *user, const char *one, const char *pid)
{
    const bool is_ours = pid[-4] == 't' && *pid && pid[strspn(pid, "0123456789")] == '\0'; /* .tmp-PID */
    if (is_ours && wi_is_abandoned(one, pid) && unlink(one) == 0)
        weir_warn_at(user, one, 0, 0, "left by a run that was killed while it wrote a checkpoint; removed");
}

void wi_saver_clean(weir_diag *diag, const char *path)
{
    wi_temporaries_each(path, clean_one, diag);
}

static void put(wi_saver *s, const void *data, size_t bytes)
{
    wi_out_write(s->file, data, bytes);
    s->at += bytes;
}

weir_status wi_saver_open(weir_diag *diag, const char *path, wi_saver **out)
{
    wi_saver *s = *out = calloc(1, sizeof *s);
    head h = {.format = FORMAT};
    weir_status status = s && (s->path = strdup(path))
                             ? wi_out_open_held(diag, path, &s->file)
                             : weir_fail(diag, WEIR_E_NOMEM, "no memory to save %s", path);
    if (status != WEIR_OK) {
        wi_saver_drop(s);
        *out = NULL;
        return status;
    }
    memcpy(h.magic, head_magic, sizeof h.magic);
    put(s, &h, sizeof h);
    return WEIR_OK;
}

static void pad(wi_saver *s)
{
    static const char zeros[8];
    put(s, zeros, (size_t)(-s->at & 7));
}

static void digest_of(const entry *entries, size_t n, const char *but, char text[65])
{
    struct {
        char name[WI_SAVED_NAME];
        uint64_t bytes, crc;
    } list[WI_SAVED_SECTIONS];
    size_t found = 0;
    memset(list, 0, sizeof list);
    for (size_t i = 0; i < n; i++)
        if (strcmp(entries[i].name, but) != 0) {
            memcpy(list[found].name, entries[i].name, sizeof list[found].name);
            list[found].bytes = entries[i].bytes;
            list[found++].crc = entries[i].crc;
        }
    wi_sha256(list, found * sizeof list[0], text);
}

void wi_saver_digest(const wi_saver *s, const char *but, char text[65])
{
    digest_of(s->entries, s->n, but, text);
}

void wi_saver_fail(wi_saver *s, weir_status status)
{
    if (s->failed == WEIR_OK)
        s->failed = status;
}

void wi_saver_section(wi_saver *s, const char *name)
{
    bool known = s->n == WI_SAVED_SECTIONS || strlen(name) >= WI_SAVED_NAME;
    for (size_t i = 0; i < s->n && !known; i++)
        known = strcmp(s->entries[i].name, name) == 0;
    if (known) {
        wi_saver_fail(s, WEIR_E_ARG);
        return;
    }
    pad(s);
    entry *e = &s->entries[s->n++];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->at = s->at;
    e->crc = crc_of(0, NULL, 0);
}

void wi_saver_put(wi_saver *s, const void *data, size_t bytes)
{
    if (s->n == 0) {
        wi_saver_fail(s, WEIR_E_ARG);
        return;
    }
    entry *e = &s->entries[s->n - 1];
    e->bytes += bytes;
    if (bytes > 0)
        e->crc = crc_of(e->crc, data, bytes);
    put(s, data, bytes);
}

static void finish(wi_saver *s)
{
    pad(s);
    const uint64_t sections = s->at - sizeof(head);
    tail t = {.list_at = s->at,
              .n = s->n,
              .list_crc = crc_of(crc_of(0, NULL, 0), s->entries, s->n * sizeof(entry))};
    memcpy(t.magic, tail_magic, sizeof t.magic);
    put(s, s->entries, s->n * sizeof(entry));
    put(s, &t, sizeof t);
    (void)wi_out_size(s->file);
    wi_out_write_at(s->file, offsetof(head, bytes), &sections, sizeof sections);
}

weir_status wi_saver_commit(weir_diag *diag, wi_saver *s)
{
    weir_status status = s->failed;
    if (status == WEIR_E_ARG)
        (void)weir_fail(diag, status, "%s: sections without name, twice the same or too many", s->path);
    if (status == WEIR_OK) {
        finish(s);
        status = wi_out_close(diag, s->file);
        s->file = NULL;
    }
    if (status == WEIR_OK) /* the name is on the disk when its folder is; it holds a whole file either way */
        (void)wi_sync_path(dirname(s->path));
    wi_saver_drop(s);
    return status;
}

void wi_saver_drop(wi_saver *s)
{
    if (!s)
        return;
    wi_out_drop(s->file);
    free(s->path);
    free(s);
}

/* ---- reading ---- */

struct wi_saved {
    char *path;
    const unsigned char *at; /* the file, mapped */
    size_t bytes;
    const entry *entries;
    size_t n;
};

static weir_status refuse(weir_diag *diag, const wi_saved *s, const char *what)
{
    return weir_fail_at(diag, WEIR_E_FORMAT, s->path, 0, 0, "%s", what);
}

/* Head, tail and list; sizes that do not fit together are those of a file that was cut off or damaged. */
static weir_status check_frame(weir_diag *diag, wi_saved *s)
{
    head h;
    tail t;
    if (s->bytes < sizeof h || memcmp(s->at, head_magic, sizeof head_magic) != 0)
        return refuse(diag, s, "this is no checkpoint of weir");
    memcpy(&h, s->at, sizeof h);
    if (h.format != FORMAT)
        return weir_fail_at(diag, WEIR_E_FORMAT, s->path, 0, 0,
                            "format %llu of another version of weir; this one reads %d",
                            (unsigned long long)h.format, FORMAT);
    if (s->bytes < sizeof h + sizeof t)
        return refuse(diag, s, "cut off behind its head");
    memcpy(&t, s->at + s->bytes - sizeof t, sizeof t);
    if (memcmp(t.magic, tail_magic, sizeof t.magic) != 0)
        return refuse(diag, s, "cut off: it has no end");
    const uint64_t room = s->bytes - sizeof h - sizeof t;
    if (t.n > WI_SAVED_SECTIONS || h.bytes > room || t.n * sizeof(entry) != room - h.bytes ||
        t.list_at != sizeof h + h.bytes || h.bytes % 8 != 0)
        return refuse(diag, s, "damaged: sizes that do not fit together");
    s->entries = (const entry *)(const void *)(s->at + t.list_at);
    s->n = (size_t)t.n;
    if (crc_of(crc_of(0, NULL, 0), s->entries, s->n * sizeof(entry)) != t.list_crc)
        return refuse(diag, s, "damaged: the list of its sections");
    return WEIR_OK;
}

static weir_status check_sections(weir_diag *diag, const wi_saved *s)
{
    const uint64_t end = s->bytes - sizeof(tail) - s->n * sizeof(entry);
    for (size_t i = 0; i < s->n; i++) {
        const entry *e = &s->entries[i];
        if (memchr(e->name, '\0', sizeof e->name) == NULL || e->at < sizeof(head) || e->at % 8 != 0 ||
            e->at > end || e->bytes > end - e->at)
            return refuse(diag, s, "damaged: the list of its sections");
        if (crc_of(crc_of(0, NULL, 0), s->at + e->at, (size_t)e->bytes) != e->crc)
            return weir_fail_at(diag, WEIR_E_FORMAT, s->path, 0, 0,
                                "damaged: section '%s' has another checksum", e->name);
    }
    return WEIR_OK;
}

static weir_status map(weir_diag *diag, wi_saved *s)
{
    struct stat about;
    const int fd = open(s->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        return weir_fail_at(diag, WEIR_E_IO, s->path, 0, 0, "%s", strerror(error));
    }
    weir_status status = WEIR_OK;
    if (!S_ISREG(about.st_mode)) {
        status = refuse(diag, s, "this is no checkpoint of weir");
    } else if (about.st_size > 0) {
        void *at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED)
            status = weir_fail_at(diag, WEIR_E_IO, s->path, 0, 0, "cannot be read: %s", strerror(errno));
        else
            s->at = at, s->bytes = (size_t)about.st_size;
    }
    close(fd);
    return status;
}

weir_status wi_saved_open(weir_diag *diag, const char *path, wi_saved **out)
{
    wi_saved *s = *out = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        free(s);
        *out = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to read %s", path);
    }
    weir_status status = map(diag, s) ?: check_frame(diag, s) ?: check_sections(diag, s);
    if (status != WEIR_OK) {
        wi_saved_close(s);
        *out = NULL;
    }
    return status;
}

void wi_saved_close(wi_saved *s)
{
    if (!s)
        return;
    if (s->at)
        munmap((void *)(uintptr_t)s->at, s->bytes);
    free(s->path);
    free(s);
}

const char *wi_saved_path(const wi_saved *s)
{
    return s->path;
}

void wi_saved_digest(const wi_saved *s, const char *but, char text[65])
{
    digest_of(s->entries, s->n, but, text);
}

bool wi_saved_find(const wi_saved *s, const char *name, wi_saved_part *out)
{
    *out = (wi_saved_part){.name = name};
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->entries[i].name, name) == 0) {
            out->at = s->at + s->entries[i].at;
            out->left = (size_t)s->entries[i].bytes;
            return true;
        }
    return false;
}

const void *wi_saved_view(wi_saved_part *part, size_t bytes)
{
    const unsigned char *at = part->at;
    if (bytes > part->left) {
        part->is_short = true;
        part->left = 0;
        return NULL;
    }
    part->at += bytes;
    part->left -= bytes;
    return at;
}

void wi_saved_read(wi_saved_part *part, void *to, size_t bytes)
{
    const void *from = wi_saved_view(part, bytes);
    if (bytes == 0)
        return;
    if (from)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

weir_status wi_saved_done(weir_diag *diag, const wi_saved *s, const wi_saved_part *part)
{
    if (!part->is_short && part->left == 0)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_FORMAT, s->path, 0, 0,
                        "section '%s' is %s than what is to be read from it", part->name,
                        part->is_short ? "shorter" : "longer");
}
