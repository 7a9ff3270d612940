/*
 * The models that a scenario's `model` may name, one line each: X(NAME, doc, also). `doc` is the line of
 * docs/scenario.md, `also` words that people try for the name (blanks between; null: none). The line's other half
 * is a file subjects/NAME.c that defines wi_subject_NAME (subject.h).
 */
#pragma once

// clang-format off
#define WI_SUBJECTS(X)                                                                                       \
    X(phold, "benchmark of engines", NULL)                                                                   \
    X(lcg, "benchmark of studies on devices", NULL)                                                          \
    X(kademlia, "peer-to-peer lookups", "dht")                                                               \
    X(wireless, "a wireless mesh", "wifi mesh radio")                                                        \
    X(interconnect, "dragonflies, fat-trees, tori of parallel computers", "dragonfly torus codes")           \
    X(jackson, "a queueing network that theory knows", "mm1 queueing")                                      \
    X(mgk, "queues of several servers and any service", "mg1 mmk mm1 erlang")
// clang-format on
