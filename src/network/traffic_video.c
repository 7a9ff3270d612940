/* Classes of adaptive video: the ladder as bytes of segments, and how players behave. */
#include <math.h>

#include "network/network.h"

/* Bytes that a segment plays from; at least one. */
static uint64_t segment_bytes(uint64_t rate_bps, weir_time segment_ps)
{
    const double bytes = ceil((double)rate_bps * weir_seconds(segment_ps) / 8.0);
    return bytes < 1.0 ? 1 : (uint64_t)bytes;
}

static void set_video(const weir_scenario_video *from, net_video *v)
{
    const weir_time segments = (from->length_ps + from->segment_ps - 1) / from->segment_ps;
    *v = (net_video){.segment_ps = from->segment_ps,
                     .buffer_ps = from->buffer_ps,
                     .startup_ps = from->startup_ps,
                     .resume_ps = from->resume_ps,
                     .reservoir_ps = from->reservoir_ps,
                     .cushion_ps = from->cushion_ps,
                     .safety = from->safety,
                     .samples = from->samples,
                     .algorithm =
                         from->algorithm == WEIR_SC_ABR_BUFFER ? NET_VIDEO_BUFFER : NET_VIDEO_THROUGHPUT,
                     .segments = (uint32_t)segments,
                     .n_rungs = (uint32_t)from->n_ladder};
    for (uint32_t k = 0; k < v->n_rungs; k++)
        v->rung[k] = (net_rung){from->ladder[k], segment_bytes(from->ladder[k], from->segment_ps)};
}

weir_status wi_network_video(weir_diag *diag, wi_network *n, uint32_t cls)
{
    const weir_scenario_video *from = &n->scenario->traffic[cls].tcp.video;
    wi_net_class_plan *plan = &n->plan.classes[cls];
    const uint64_t largest = segment_bytes(from->ladder[from->n_ladder - 1], from->segment_ps);
    if (largest > UINT64_C(1) << 40)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(from->ladder_place),
                            "class '%s': a segment of %.3g bytes; want at most 2^40", plan->name,
                            (double)largest);
    if (!n->videos)
        n->videos = wi_take(&n->memory, n->scenario->n_traffic, sizeof *n->videos);
    if (!n->videos)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the video of class '%s'", plan->name);
    set_video(from, &n->videos[cls]);
    plan->video = &n->videos[cls];
    plan->params.flags |= NET_CLASS_REQUEST | NET_CLASS_SIZED | NET_CLASS_VIDEO;
    plan->params.request_bytes = (uint32_t)from->request_bytes;
    plan->params.size = (weir_dist){.kind = WEIR_DIST_CONSTANT, .a = (double)largest}; /* the most */
    return WEIR_OK;
}
