/* A list, the last one used first: things are few and large. */
#include "base/common/common.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct wi_common_thing {
    wi_common *shared;
    const wi_common_kind *kind;
    wi_common_key key;
    void *made; /* null: being made */
    uint64_t bytes;
    uint32_t users; /* who makes it and who waits included */
    bool listed;    /* others may find it */
    wi_common_thing *next;
};

struct wi_common {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something was made, or could not be */
    wi_common_thing *first;
    uint64_t room;
    wi_common_use use;
};

void wi_common_key_fold(wi_common_key *key, const void *data, size_t size)
{
    char both[2 * WI_SHA256_TEXT];
    memcpy(both, key->text, WI_SHA256_TEXT);
    wi_sha256(data, size, both + WI_SHA256_TEXT);
    wi_sha256(both, sizeof both, key->text);
}

wi_common *wi_common_new(uint64_t most_bytes)
{
    wi_common *s = calloc(1, sizeof *s);
    if (s)
        *s = (wi_common){
            .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .room = most_bytes};
    return s;
}

static void free_thing(wi_common_thing *t)
{
    t->kind->free(t->made);
    free(t);
}

void wi_common_free(wi_common *s)
{
    while (s && s->first) {
        wi_common_thing *t = s->first;
        s->first = t->next;
        free_thing(t);
    }
    free(s);
}

static wi_common_thing **place_of(wi_common *s, const wi_common_thing *t)
{
    wi_common_thing **at = &s->first;
    while (*at != t)
        at = &(*at)->next;
    return at;
}

static void unlist(wi_common *s, wi_common_thing *t)
{
    *place_of(s, t) = t->next;
    t->next = NULL;
    t->listed = false;
    s->use.bytes -= t->bytes;
}

static void put_first(wi_common *s, wi_common_thing *t)
{
    t->next = s->first;
    s->first = t;
}

static wi_common_thing *find(wi_common *s, const wi_common_key *key)
{
    wi_common_thing *t = s->first;
    while (t && memcmp(t->key.text, key->text, sizeof key->text) != 0)
        t = t->next;
    return t;
}

/* What nobody uses goes, the longest unused first, until what is kept fits. */
static void make_room(wi_common *s, uint64_t room)
{
    while (s->use.bytes > room) {
        wi_common_thing *last = NULL;
        for (wi_common_thing *t = s->first; t; t = t->next)
            last = t->users == 0 ? t : last;
        if (!last)
            return;
        unlist(s, last);
        free_thing(last);
    }
}

static void leave(wi_common_thing *t)
{
    if (--t->users == 0 && !t->listed)
        free_thing(t);
}

/* Waits until it is made; whether it was. */
static bool wait_for(wi_common *s, wi_common_thing *t)
{
    t->users++;
    while (t->listed && !t->made)
        pthread_cond_wait(&s->changed, &s->lock);
    if (!t->made) {
        leave(t);
        return false;
    }
    s->use.found++;
    if (t->listed) {
        *place_of(s, t) = t->next;
        put_first(s, t);
    }
    return true;
}

static wi_common_thing *add(wi_common *s, const wi_common_kind *kind, const wi_common_key *key)
{
    wi_common_thing *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (wi_common_thing){.shared = s, .kind = kind, .key = *key, .users = 1, .listed = true};
    put_first(s, t);
    return t;
}

/* Kept where all that is in use fits with it. */
static void keep(wi_common *s, wi_common_thing *t, uint64_t bytes)
{
    t->bytes = bytes;
    s->use.bytes += bytes;
    make_room(s, s->room);
    if (s->use.bytes > s->room)
        unlist(s, t);
    s->use.most = s->use.bytes > s->use.most ? s->use.bytes : s->use.most;
}

static weir_status make(wi_common *s, weir_diag *diag, wi_common_thing *t, void *user)
{
    void *made = NULL;
    uint64_t bytes = 0;
    pthread_mutex_unlock(&s->lock);
    const weir_status status = t->kind->make(diag, user, &made, &bytes);
    pthread_mutex_lock(&s->lock);
    if (status == WEIR_OK) {
        t->made = made;
        s->use.made++;
        keep(s, t, bytes);
    } else {
        unlist(s, t);
        leave(t);
    }
    pthread_cond_broadcast(&s->changed);
    return status;
}

weir_status wi_common_acquire(wi_common *s, weir_diag *diag, const wi_common_kind *kind,
                              const wi_common_key *key, void *user, wi_common_thing **out)
{
    weir_status status = WEIR_OK;
    *out = NULL;
    pthread_mutex_lock(&s->lock);
    wi_common_thing *t = find(s, key);
    while (t && !wait_for(s, t))
        t = find(s, key);
    if (!t) {
        t = add(s, kind, key);
        status = t ? make(s, diag, t, user)
                   : weir_fail(diag, WEIR_E_NOMEM, "no memory for what runs have in common");
    }
    pthread_mutex_unlock(&s->lock);
    if (status == WEIR_OK)
        *out = t;
    return status;
}

const void *wi_common_made(const wi_common_thing *t)
{
    return t->made;
}

void wi_common_release(wi_common_thing *t)
{
    if (!t)
        return;
    wi_common *s = t->shared;
    pthread_mutex_lock(&s->lock);
    leave(t);
    make_room(s, s->room);
    pthread_mutex_unlock(&s->lock);
}

bool wi_common_is_kept(const wi_common_thing *t)
{
    return t->listed; /* which does not change while somebody uses it */
}

void wi_common_drop_unused(wi_common *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    make_room(s, 0);
    pthread_mutex_unlock(&s->lock);
}

wi_common_use wi_common_used(wi_common *s)
{
    wi_common_use use = {0};
    if (!s)
        return use;
    pthread_mutex_lock(&s->lock);
    use = s->use;
    pthread_mutex_unlock(&s->lock);
    return use;
}
