/* What the files of a class's keys share. */
#pragma once

#include "keys/keys.h"

/* Into a weir_scenario_dist. */
extern const wi_tagged wi_transfer_sizes, wi_packet_sizes;

extern const wi_section wi_section_video; /* its struct is a weir_scenario_tcp */
extern const wi_words wi_connection_words;
/* What does not go together with video or a lasting connection in tcp, whose node it is; and the default of `connection`. */
void wi_connection_check(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp);

extern const wi_section wi_section_collective;
/* What of a class does not go together with its collective operation. */
void wi_collective_check_class(wi_reader *r, const wi_node *node, const weir_scenario_class *c);

extern const wi_section wi_section_training; /* its struct is a weir_training */
/* Settles what follows from other keys, and complains of what does not divide. */
void wi_training_check(wi_reader *r, const wi_node *node, weir_training *model);

/* Of jobs on any network; its struct is a weir_scenario_ranks. */
extern const wi_section wi_section_ranks;
#define WI_RANKS_RULES \
    "{'if': {'required': ['model']}, 'then': {'required': ['flops']}}" /* of who mixes them in */
/* How collectives go: those that a closed form of all ranks has, then those of packets. */
enum { WI_JOB_PLAIN_ALGORITHMS = 4, WI_JOB_ALGORITHMS = 7 };
extern const wi_word wi_job_algorithms[WI_JOB_ALGORITHMS];

extern const wi_section wi_section_job;
void wi_job_check_class(wi_reader *r, const wi_node *node, weir_scenario_class *c); /* likewise */

/* Sessions of one fidelity until a class is checked: `rest`. */
#define WI_REST_OF_SESSIONS UINT32_MAX

/* Of a weir_scenario_class: complains, and settles where its flows are and how its sessions are divided. */
void wi_class_check(wi_reader *reader, const wi_node *node, void *at);
