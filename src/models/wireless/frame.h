/* Frames as events carry them, and the loop over a frame's subcarriers as handlers call it. */
#ifndef WI_MODELS_WIRELESS_FRAME_H
#define WI_MODELS_WIRELESS_FRAME_H

#include "models/wireless/fading.h"

/* The payload of every event. */
typedef struct wireless_frame {
    weir_time made_ps;  /* by the application */
    weir_time start_ps; /* PHY: on the air since; where it arrives: arriving since */
    double snr;         /* effective, as the PHY found it */
    uint32_t origin;    /* node that made the packet */
    uint32_t number;    /* of the packet, at its origin */
    int32_t to;         /* node, or WIRELESS_EVERYBODY */
    uint32_t link;      /* that it came by; PHY_SEND: to be sent by next */
    uint16_t kind;
    uint16_t spoilt;  /* by another frame */
    uint32_t backoff; /* CSMA: slots still to wait; 0: not drawn yet */
} wireless_frame;
WEIR_STATIC_ASSERT(sizeof(wireless_frame) == 48, "no padding in payloads");

#endif
