/*
 * Mailboxes: what many threads put in comes out once, whole, in each sender's order, and blocks that go back
 * are used again. label: threads
 */
#include "engine/harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "ranks/mailbox.h"

enum { SENDERS = 4, LETTERS = 20000, BLOCKS = 16 };

typedef struct sender {
    wi_mailbox *to;
    wi_mailbox returned;
    uint32_t number;
    wi_mail *blocks[BLOCKS];
} sender;

static void *send_all(void *arg)
{
    sender *s = arg;
    wi_mail *spare = NULL;
    uint32_t made = 0;
    for (uint32_t i = 0; i < LETTERS; i++) {
        while (!spare && made == BLOCKS) { /* bounded: wait for one to come back */
            spare = wi_mailbox_drain(&s->returned);
            if (!spare)
                sched_yield();
        }
        wi_mail *m = spare;
        if (m)
            spare = m->next;
        else
            m = s->blocks[made++] = calloc(1, sizeof *m + 8);
        m->from = s->number;
        m->used = i;
        *(uint64_t *)(void *)wi_mail_at(m) = (uint64_t)i * 7 + s->number;
        wi_mailbox_put(s->to, m);
    }
    return NULL;
}

static void each_sender_in_its_order(void **state)
{
    (void)state;
    static wi_mailbox box;
    static sender senders[SENDERS];
    pthread_t threads[SENDERS];
    uint32_t next[SENDERS] = {0}, got = 0;
    assert_true(wi_mailbox_is_empty(&box));
    for (uint32_t i = 0; i < SENDERS; i++) {
        senders[i] = (sender){.to = &box, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, send_all, &senders[i]), 0);
    }
    while (got < SENDERS * LETTERS) {
        wi_mail *next_mail, *m = wi_mailbox_drain(&box);
        if (!m)
            sched_yield();
        for (; m; m = next_mail, got++) {
            next_mail = m->next;
            assert_int_equal(m->used, next[m->from]++);
            assert_int_equal(*(uint64_t *)(void *)wi_mail_at(m), (uint64_t)m->used * 7 + m->from);
            wi_mailbox_put(&senders[m->from].returned, m);
        }
    }
    for (uint32_t i = 0; i < SENDERS; i++) {
        pthread_join(threads[i], NULL);
        for (uint32_t b = 0; b < BLOCKS; b++)
            free(senders[i].blocks[b]);
    }
    assert_true(wi_mailbox_is_empty(&box));
    assert_null(wi_mailbox_drain(&box));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_sender_in_its_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
