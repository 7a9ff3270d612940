/* Threshold marking and token buckets without a network: policer and shaper, by hand. */
#include "room.h"

static net_arrival arrival(weir_time now_ps, uint32_t backlog_bytes, uint32_t bytes)
{
    net_arrival a;
    memset(&a, 0, sizeof a);
    a.now_ps = now_ps;
    a.backlog_ps = (weir_time)backlog_bytes * US;
    a.bytes = bytes;
    a.ecn_capable = 1;
    return a;
}

static void threshold(void **state)
{
    (void)state;
    net_queue q = room_queue(NET_QUEUE_THRESHOLD, 0);
    q.params.limit_bytes = 50000;
    net_threshold_params params = {.mark_bytes = 20000};
    ROOM_SET(threshold, &q, params);
    net_arrival a = arrival(0, 20000, 1500);
    assert_int_equal(net_threshold_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    a = arrival(0, 20001, 1500);
    assert_int_equal(net_threshold_arrive(&q, NULL, &a, NULL), NET_MARK);
    a.ecn_capable = 0;
    assert_int_equal(net_threshold_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    a = arrival(0, 49000, 1500);
    assert_int_equal(net_threshold_arrive(&q, NULL, &a, NULL), NET_DROP_LIMIT);
    params.mark_packets = 5;
    ROOM_SET(threshold, &q, params);
    assert_true(q.counts_packets);
    a = arrival(0, 40000, 1500);
    a.backlog_packets = 5;
    assert_int_equal(net_threshold_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    a.backlog_packets = 6;
    assert_int_equal(net_threshold_arrive(&q, NULL, &a, NULL), NET_MARK);
}

/* 1 Mb/s is 8 us a byte; a bucket of 3000 bytes, full at first. */
static const net_bucket_params bucket = {.rate_bps = 1000000, .burst_bytes = 3000};

static void policer(void **state)
{
    (void)state;
    net_queue q = room_queue(NET_QUEUE_POLICER, 0);
    ROOM_SET(policer, &q, bucket);
    net_queue_state s = {.own = {0, 0}};
    net_arrival a = arrival(0, 0, 1500);
    a.ecn_capable = 0;
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_ACCEPT);
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_ACCEPT);
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_DROP_EARLY); /* empty */
    a.now_ps = 12 * MS - 1;                                                 /* 1500 bytes take 12 ms */
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_DROP_EARLY);
    a.now_ps = 12 * MS;
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_ACCEPT);
    a.now_ps = 12 * MS + 800 * US; /* 100 bytes more */
    a.bytes = 101;
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_DROP_EARLY);
    a.bytes = 100;
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_ACCEPT);
    /* In the long run the rate, to the byte: 1500 bytes a millisecond are 12 times as much as it lets through. */
    uint64_t through = 0;
    a.bytes = 1500;
    for (int t = 1000; t < 13000; t++) {
        a.now_ps = t * MS;
        through += net_policer_arrive(&q, &s, &a, NULL) == NET_ACCEPT;
    }
    assert_int_equal(through, 1000 + 1); /* and the second packet of the bucket, which is full at first */
    q.ecn = 1;
    a.ecn_capable = 1;
    assert_int_equal(net_policer_arrive(&q, &s, &a, NULL), NET_MARK);
}

static room r;

static void shaper(void **state)
{
    (void)state;
    net_queue q = room_queue(NET_QUEUE_SHAPER, 100);
    const net_shaper_params params = {.bucket = bucket, .mark_bytes = 4000};
    ROOM_SET(shaper, &q, params);
    room_init(&r, &q);
    for (int i = 0; i < 6; i++)
        room_put(&r, 0, 0, 1500, NET_ECT, 0);
    assert_int_equal(r.port.marked, 3); /* behind 4500, 6000, 7500 bytes */
    assert_int_equal(room_get(&r, 0).bytes, 1500);
    assert_int_equal(room_get(&r, 0).bytes, 1500);
    assert_int_equal(room_get(&r, 0).bytes, 0);
    assert_int_equal(r.view.again_ps, 12 * MS);
    assert_int_equal(room_get(&r, 12 * MS).bytes, 1500);
    assert_int_equal(room_get(&r, 20 * MS).bytes, 0);
    assert_int_equal(r.view.again_ps, 24 * MS);
    assert_int_equal(room_get(&r, 24 * MS).bytes, 1500);
    assert_int_equal(room_get(&r, 60 * MS).bytes, 1500); /* 36 ms: the bucket is full */
    assert_int_equal(room_get(&r, 60 * MS).bytes, 1500);
    assert_int_equal(room_get(&r, 60 * MS).bytes, 0);
    assert_int_equal(r.port.ring_count, 0);
    /* Larger than the bucket: when that is full, and what it lacks is made up for afterwards. */
    room_put(&r, 60 * MS, 0, 9000, 0, 0);
    room_put(&r, 60 * MS, 0, 1500, 0, 0);
    assert_int_equal(room_get(&r, 60 * MS).bytes, 0);
    assert_int_equal(r.view.again_ps, 84 * MS);
    assert_int_equal(room_get(&r, 84 * MS).bytes, 9000);
    assert_int_equal(room_get(&r, 84 * MS).bytes, 0);
    assert_int_equal(r.view.again_ps, 84 * MS + 72 * MS - 12 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threshold), cmocka_unit_test(policer),
                                       cmocka_unit_test(shaper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
