/*
 * Zombie packets (Cruz-Camacho et al., SIGSIM-PADS 2023): those that are in the network when a surrogate takes over.
 *
 * The surrogate delivers them, when their likes would have come. In the network, which is suspended, they stay as zombies:
 * they hold their buffers, so that the network is as hot when it comes back as it was, and are discarded where they arrive.
 * A model marks them by a bit of its packets' marks, and delivers and counts none that has it.
 */
#pragma once

#include "weir/fn.h"
#include "weir/random.h"
#include "weir/time.h"

enum { WI_ZOMBIE = 0x20 }; /* of a packet's mark: it was delivered by the surrogate already */

WEIR_FN int wi_is_zombie(uint8_t mark)
{
    return (mark & WI_ZOMBIE) != 0;
}

WEIR_FN uint8_t wi_zombie_mark(uint8_t mark)
{
    return (uint8_t)(mark | WI_ZOMBIE);
}

/* When the surrogate delivers a packet that becomes a zombie: when by the predictor it would have come. One for which
 * that is over is later than its likes: it comes within the time that these take, by 64 random bits, not with all others
 * at once. */
WEIR_FN weir_time wi_zombie_delivery_ps(weir_time born_ps, weir_time latency_ps, weir_time now_ps,
                                        uint64_t bits)
{
    const weir_time at_ps = born_ps + latency_ps;
    return at_ps < now_ps ? now_ps + (weir_time)((double)latency_ps * weir_unit_of_bits(bits)) : at_ps;
}
