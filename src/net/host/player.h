/*
 * A player of adaptive video (MPEG-DASH, ISO/IEC 23009-1): segments of one duration, each fetched at a bitrate of a ladder,
 * a buffer of what is fetched and not yet played, and the choice of the next segment's bitrate. No network in here: when a
 * segment is asked for and has come is the caller's.
 *
 * Two choices. By the buffer: BBA-0 (Huang, Johari, McKeown, Trunnell, Watson, A Buffer-Based Approach to Rate Adaptation,
 * SIGCOMM 2014, section 3 and algorithm 1): the least bitrate while the buffer holds less than the reservoir, the largest
 * above reservoir and cushion, between them a straight line f; the bitrate moves when f passes the next one above or below.
 * By the throughput: the largest bitrate up to a share of the harmonic mean of the last segments' throughputs; mean, its 20
 * samples and the share of 0.85 are those of FESTIVE (Jiang, Sekar, Zhang, CoNEXT 2012), of which there is neither the
 * gradual change of bitrates nor the random schedule. A segment's throughput is its bytes over the time from its request.
 *
 * Time is integer picoseconds, of media as of the clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "weir/fn.h"
#include "weir/time.h"

enum { NET_RUNGS_MAX = 32, NET_PLAYER_SAMPLES = 20 };
enum { NET_VIDEO_BUFFER, NET_VIDEO_THROUGHPUT };

/* A bitrate that the video can be had at, and the bytes of a segment. */
typedef struct net_rung {
    uint64_t rate_bps, bytes;
} net_rung;

/* A class's video, and how its players behave. */
typedef struct net_video {
    weir_time segment_ps;
    weir_time buffer_ps; /* no segment is asked for that would not fit; at least one segment */
    weir_time startup_ps,
        resume_ps; /* playback begins, and goes on after it ran dry, at so much in the buffer */
    weir_time reservoir_ps, cushion_ps; /* by the buffer */
    double safety;                      /* by the throughput: share of the mean */
    uint32_t samples;                   /* of which the mean is; at most NET_PLAYER_SAMPLES */
    uint32_t algorithm;
    uint32_t segments; /* in all; 0: without end */
    uint32_t n_rungs;
    net_rung rung[NET_RUNGS_MAX]; /* by their bitrates */
} net_video;

enum net_player_phase {
    NET_PLAYER_OFF, /* has not begun */
    NET_PLAYER_STARTING,
    NET_PLAYER_PLAYING,
    NET_PLAYER_STALLED,
    NET_PLAYER_OVER /* all has been played */
};

/* All of it holds at seen_ps. */
typedef struct net_player {
    weir_time start_ps, seen_ps;
    weir_time buffer_ps;  /* media */
    weir_time startup_ps; /* from the start to the first picture; set when playback begins */
    weir_time stalled_ps; /* after that without a picture */
    uint64_t rate_sum_bps, bytes;
    uint32_t segments, stalls, switches;
    uint16_t rung; /* of the last segment asked for */
    uint8_t phase;
    uint8_t ended;  /* no segment comes after those in the buffer */
    uint32_t at, n; /* of the samples: where the next goes, and how many there are */
    double ps_a_bit[NET_PLAYER_SAMPLES];
} net_player;

/* Words of a player in a pool of them. */
#define NET_PLAYER_WORDS ((uint32_t)((sizeof(net_player) + 7u) / 8u))

/* Begin with an empty buffer. */
WEIR_FN void net_player_begin(net_player *p, weir_time now_ps)
{
    p->start_ps = p->seen_ps = now_ps;
    p->phase = NET_PLAYER_STARTING;
}

/* Play until now_ps. A buffer that is empty at now_ps itself is no stall yet: a segment may come at that time. */
WEIR_FN void net_player_play(net_player *p, weir_time now_ps)
{
    weir_time left_ps = now_ps - p->seen_ps;
    p->seen_ps = now_ps;
    if (p->phase == NET_PLAYER_PLAYING) {
        const weir_time played_ps = left_ps < p->buffer_ps ? left_ps : p->buffer_ps;
        p->buffer_ps -= played_ps;
        left_ps -= played_ps;
        if (p->ended && p->buffer_ps == 0) {
            p->phase = NET_PLAYER_OVER;
        } else if (left_ps > 0) {
            p->phase = NET_PLAYER_STALLED;
            p->stalls++;
        }
    }
    if (p->phase == NET_PLAYER_STALLED)
        p->stalled_ps += left_ps;
}

/* How long to wait with the next request until its segment fits. */
WEIR_FN weir_time net_player_pause(const net_player *p, const net_video *v)
{
    const weir_time then_ps = p->buffer_ps + v->segment_ps;
    return then_ps > v->buffer_ps ? then_ps - v->buffer_ps : 0;
}

/* Whether playback begins or goes on: enough is there, or no more comes before it does. */
WEIR_FN void net_player_resume(net_player *p, const net_video *v)
{
    const weir_time enough_ps = p->phase == NET_PLAYER_STARTING ? v->startup_ps : v->resume_ps;
    if (p->phase != NET_PLAYER_STARTING && p->phase != NET_PLAYER_STALLED)
        return;
    if (p->buffer_ps < enough_ps && !p->ended && net_player_pause(p, v) == 0)
        return;
    if (p->phase == NET_PLAYER_STARTING)
        p->startup_ps = p->seen_ps - p->start_ps;
    p->phase = NET_PLAYER_PLAYING;
}

/* No more segments are asked for. */
WEIR_FN void net_player_end(net_player *p, const net_video *v, weir_time now_ps)
{
    net_player_play(p, now_ps);
    p->ended = 1;
    if (p->buffer_ps == 0)
        p->phase = NET_PLAYER_OVER;
    net_player_resume(p, v);
}

/* The segment asked for has come, taken_ps after its request. */
WEIR_FN void net_player_take(net_player *p, const net_video *v, weir_time now_ps, weir_time taken_ps)
{
    const net_rung *rung = &v->rung[p->rung];
    net_player_play(p, now_ps);
    p->buffer_ps += v->segment_ps;
    p->segments++;
    p->rate_sum_bps += rung->rate_bps;
    p->bytes += rung->bytes;
    p->ps_a_bit[p->at] = (double)taken_ps / (8.0 * (double)rung->bytes);
    p->at = p->at + 1 < v->samples ? p->at + 1 : 0;
    p->n += p->n < v->samples;
    if (v->segments && p->segments == v->segments)
        p->ended = 1;
    net_player_resume(p, v);
}

/* Harmonic mean of the last throughputs; 0 before the first. */
WEIR_FN double net_player_throughput_bps(const net_player *p)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < p->n; i++)
        sum += p->ps_a_bit[i];
    return sum > 0.0 ? 1e12 * (double)p->n / sum : 0.0;
}

/* The rung by the throughput. */
WEIR_FN uint32_t net_player_by_throughput(const net_player *p, const net_video *v)
{
    const double most_bps = v->safety * net_player_throughput_bps(p);
    uint32_t k = 0;
    while (k + 1 < v->n_rungs && (double)v->rung[k + 1].rate_bps <= most_bps)
        k++;
    return k;
}

/* Algorithm 1 of the paper. Just above the largest bitrate below f, or just below the least above it, so that the bitrate
 * can stay where it is while f is between its neighbours. */
WEIR_FN uint32_t net_player_by_buffer(const net_player *p, const net_video *v)
{
    const uint32_t top = v->n_rungs - 1u, now = p->rung;
    if (p->buffer_ps <= v->reservoir_ps)
        return 0;
    if (p->buffer_ps >= v->reservoir_ps + v->cushion_ps)
        return top;
    const double least = (double)v->rung[0].rate_bps, most = (double)v->rung[top].rate_bps;
    const double f =
        least + (most - least) * (double)(p->buffer_ps - v->reservoir_ps) / (double)v->cushion_ps;
    const uint32_t above = now < top ? now + 1 : top, below = now > 0 ? now - 1 : 0;
    uint32_t k = now;
    if (f >= (double)v->rung[above].rate_bps)
        while (k < top && (double)v->rung[k + 1].rate_bps < f)
            k++;
    else if (f <= (double)v->rung[below].rate_bps)
        while (k > 0 && (double)v->rung[k - 1].rate_bps > f)
            k--;
    return k;
}

/* Choose the bitrate of the next segment, which is asked for now. */
WEIR_FN const net_rung *net_player_choose(net_player *p, const net_video *v, weir_time now_ps)
{
    net_player_play(p, now_ps);
    uint32_t k = 0;
    if (p->segments > 0)
        k = v->algorithm == NET_VIDEO_BUFFER ? net_player_by_buffer(p, v) : net_player_by_throughput(p, v);
    p->switches += p->segments > 0 && k != p->rung;
    p->rung = (uint16_t)k;
    return &v->rung[k];
}
