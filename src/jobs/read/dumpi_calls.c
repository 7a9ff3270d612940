/* DUMPI's functions by their numbers, and calls of them. */
#include <string.h>

#include "jobs/read/dumpi.h"
#include "jobs/uneven.h"

/*
 * Arguments in their order:
 *   4 bytes   c count, e what comes or a collective's rank gets, where that is another one, d destination, s source, g tag, h of what
 *             comes, r request, f flag, x index, o root, k rank in the communicator, l colour, or size, or rank, j key
 *   2 bytes   t type, u of e, w the new type, m communicator, n the new one, p group, q the other group, y the new one
 *   lists     a number of 4 bytes, then R requests, X indices, A and B numbers, T and U types, L lists of three numbers, S statuses: 4
 *             bytes each of size and source, 1 of whether it was cancelled and of an error, and 4 of the tag; of collectives of uneven
 *             parts A and T are what a rank sends, B and U what it gets
 *   ?         the next one is there where k is o
 * and what is passed over: - 1, ; 2, . 4, : 8 bytes; lists: # of 4, & of 2, % of 1, * of lists of 1. What stands twice is the latter.
 */
#define MESSAGE(op) DUMPI_MESSAGE, JOB_OP_##op
#define REQUEST(op) DUMPI_REQUEST, JOB_OP_##op
#define PERSISTENT(op) DUMPI_PERSISTENT, JOB_OP_##op
#define COLLECTIVE(op) DUMPI_COLLECTIVE, JOB_OP_##op
#define UNEVEN(op) DUMPI_UNEVEN, JOB_OP_##op
static const struct function {
    const char *name, *fields;
    dumpi_doing what;
    uint8_t op;
} functions[] = {
    // clang-format off
    {"Send", "ctdgm", MESSAGE(SEND)}, {"Recv", "ctshmS", MESSAGE(RECV)}, {"Get_count", "S;."},
    {"Bsend", "ctdgm", MESSAGE(ISEND)}, {"Ssend", "ctdgm", MESSAGE(SEND)}, {"Rsend", "ctdgm", MESSAGE(SEND)},
    {"Buffer_attach", "."}, {"Buffer_detach", "."}, {"Isend", "ctdgmr", REQUEST(ISEND)},
    {"Ibsend", "ctdgmr", REQUEST(ISEND)}, {"Issend", "ctdgmr", REQUEST(ISEND)},
    {"Irsend", "ctdgmr", REQUEST(ISEND)}, {"Irecv", "ctshmr", REQUEST(IRECV)}, {"Wait", "rS", DUMPI_WAIT_ALL},
    {"Test", "rfS", DUMPI_WAIT_ALL}, {"Request_free", "r", DUMPI_FREE}, {"Waitany", ".RxS", DUMPI_WAIT_ONE},
    {"Testany", ".RxfS", DUMPI_WAIT_ONE}, {"Waitall", ".RS", DUMPI_WAIT_ALL},
    {"Testall", ".RfS", DUMPI_WAIT_ALL}, {"Waitsome", ".R.XS", DUMPI_WAIT_SOME},
    {"Testsome", ".R.XS", DUMPI_WAIT_SOME}, {"Iprobe", "..;.S"}, {"Probe", "..;S"},
    {"Cancel", "r", DUMPI_CANCEL}, {"Test_cancelled", "S."}, {"Send_init", "ctdgmr", PERSISTENT(ISEND)},
    {"Bsend_init", "ctdgmr", PERSISTENT(ISEND)}, {"Ssend_init", "ctdgmr", PERSISTENT(ISEND)},
    {"Rsend_init", "ctdgmr", PERSISTENT(ISEND)}, {"Recv_init", "ctshmr", PERSISTENT(IRECV)},
    {"Start", "r", DUMPI_START}, {"Startall", ".R", DUMPI_START}, {"Sendrecv", "ctdgeushmS", DUMPI_EXCHANGE},
    {"Sendrecv_replace", "ctdgshmS", DUMPI_EXCHANGE}, {"Type_contiguous", "ctw", DUMPI_TYPE},
    {"Type_vector", "ce.tw", DUMPI_TYPE}, {"Type_hvector", "ce.tw", DUMPI_TYPE},
    {"Type_indexed", ".A#tw", DUMPI_TYPE}, {"Type_hindexed", ".A#tw", DUMPI_TYPE},
    {"Type_struct", ".A#Tw", DUMPI_TYPE}, {"Address", "."}, {"Type_extent", ";."}, {"Type_size", ";."},
    {"Type_lb", ";."}, {"Type_ub", ";."}, {"Type_commit", ";"}, {"Type_free", ";"}, {"Get_elements", "S;."},
    {"Pack", ".;...;"}, {"Unpack", "....;;"}, {"Pack_size", ".;;."}, {"Barrier", "m", COLLECTIVE(BARRIER)},
    {"Bcast", "ctom", COLLECTIVE(BCAST)}, {"Gather", "kctom?c?t", COLLECTIVE(GATHER)},
    {"Gatherv", "k.ctom?B?#u", UNEVEN(GATHERV)}, {"Scatter", "kctom?c?t", COLLECTIVE(SCATTER)},
    {"Scatterv", "k.teuom?A?#", UNEVEN(SCATTERV)}, {"Allgather", ".;ctm", COLLECTIVE(ALLGATHER)},
    {"Allgatherv", "..;B#um", UNEVEN(ALLGATHERV)}, {"Alltoall", ".;ctm", COLLECTIVE(ALLTOALL)},
    {"Alltoallv", ".A#tB#um", UNEVEN(ALLTOALLV)}, {"Reduce", "ct-om", COLLECTIVE(REDUCE)},
    {"Op_create", ".-"}, {"Op_free", "-"}, {"Allreduce", "ct-m", COLLECTIVE(ALLREDUCE)},
    {"Reduce_scatter", ".At-m", COLLECTIVE(REDUCE_SCATTER)}, {"Scan", "eu-m", UNEVEN(SCAN)},
    {"Group_size", ";."}, {"Group_rank", ";."}, {"Group_translate_ranks", ";.#;#"}, {"Group_compare", ";;-"},
    {"Comm_group", "my", DUMPI_COMM_GROUP}, {"Group_union", "pqy", DUMPI_GROUP_UNION},
    {"Group_intersection", "pqy", DUMPI_GROUP_INTERSECTION},
    {"Group_difference", "pqy", DUMPI_GROUP_DIFFERENCE}, {"Group_incl", "p.Ay", DUMPI_GROUP_INCL},
    {"Group_excl", "p.Ay", DUMPI_GROUP_EXCL}, {"Group_range_incl", "p.Ly", DUMPI_GROUP_RANGE_INCL},
    {"Group_range_excl", "p.Ly", DUMPI_GROUP_RANGE_EXCL}, {"Group_free", ";"},
    {"Comm_size", "ml", DUMPI_COMM_SIZE}, {"Comm_rank", "ml", DUMPI_COMM_RANK}, {"Comm_compare", ";;-"},
    {"Comm_dup", "mn", DUMPI_COMM_DUP}, {"Comm_create", "mpn", DUMPI_COMM_CREATE},
    {"Comm_split", "mljn", DUMPI_COMM_SPLIT}, {"Comm_free", ";"}, {"Comm_test_inter", ";."},
    {"Comm_remote_size", ";."}, {"Comm_remote_group", ";;"}, {"Intercomm_create", "", DUMPI_REFUSED},
    {"Intercomm_merge", "", DUMPI_REFUSED}, {"Keyval_create", ";"}, {"Keyval_free", ";"}, {"Attr_put", ";."},
    {"Attr_get", ";.."}, {"Attr_delete", ";."}, {"Topo_test", ";-"},
    {"Cart_create", "m.A#.n", DUMPI_CART_CREATE}, {"Dims_create", "..##"},
    {"Graph_create", ".m.##.n", DUMPI_GRAPH_CREATE}, {"Graphdims_get", ";.."}, {"Graph_get", "..;..##"},
    {"Cartdim_get", ";."}, {"Cart_get", ".;.###."}, {"Cart_rank", ".;#."}, {"Cart_coords", ".;..#"},
    {"Graph_neighbors_count", ";.."}, {"Graph_neighbors", ".;..#"}, {"Cart_shift", ";...."},
    {"Cart_sub", ".mAn", DUMPI_CART_SUB}, {"Cart_map", ";.##."}, {"Graph_map", ".;.##."},
    {"Get_processor_name", "%."}, {"Get_version", ".."}, {"Errhandler_create", ";"}, {"Errhandler_set", ";;"},
    {"Errhandler_get", ";;"}, {"Errhandler_free", ";"}, {"Error_string", ".%."}, {"Error_class", ".."},
    {"Wtime", ""}, {"Wtick", ""}, {"Init", "*"}, {"Finalize", ""}, {"Initialized", "."}, {"Abort", ";."},
    {"Pcontrol", "", DUMPI_REFUSED}, {"Close_port", "%"}, {"Comm_accept", "", DUMPI_REFUSED},
    {"Comm_connect", "", DUMPI_REFUSED}, {"Comm_disconnect", ";"}, {"Comm_get_parent", ";"},
    {"Comm_join", "", DUMPI_REFUSED}, {"Comm_spawn", "", DUMPI_REFUSED},
    {"Comm_spawn_multiple", "", DUMPI_REFUSED}, {"Lookup_name", "%;%"}, {"Open_port", ";%"},
    {"Publish_name", "%;%"}, {"Unpublish_name", "%;%"}, {"Accumulate", "", DUMPI_REFUSED},
    {"Get", "", DUMPI_REFUSED}, {"Put", "", DUMPI_REFUSED}, {"Win_complete", ";"}, {"Win_create", "..;;;"},
    {"Win_fence", "-;"}, {"Win_free", ";"}, {"Win_get_group", ";;"}, {"Win_lock", "-.-;"},
    {"Win_post", ";-;"}, {"Win_start", ";-;"}, {"Win_test", ";."}, {"Win_unlock", ".;"}, {"Win_wait", ";"},
    {"Alltoallw", ".A#TB#Um", UNEVEN(ALLTOALLV)}, {"Exscan", "eu-m", UNEVEN(SCAN)}, {"Add_error_class", "."},
    {"Add_error_code", ".."}, {"Add_error_string", ".%"}, {"Comm_call_errhandler", ";."},
    {"Comm_create_keyval", ";"}, {"Comm_delete_attr", ";;"}, {"Comm_free_keyval", ";"},
    {"Comm_get_attr", ";;."}, {"Comm_get_name", ";%."}, {"Comm_set_attr", ";;"}, {"Comm_set_name", ";%"},
    {"File_call_errhandler", ";."}, {"Grequest_complete", "."}, {"Grequest_start", "r", DUMPI_OTHER},
    {"Init_thread", "*--"}, {"Is_thread_main", "."}, {"Query_thread", "-"}, {"Status_set_cancelled", "S."},
    {"Status_set_elements", "S;."}, {"Type_create_keyval", ";"}, {"Type_delete_attr", ";;"},
    {"Type_dup", "tw", DUMPI_TYPE}, {"Type_free_keyval", ";"}, {"Type_get_attr", ";;."},
    {"Type_get_contents", "...;...##&"}, {"Type_get_envelope", ";...-"}, {"Type_get_name", ";%."},
    {"Type_set_attr", ";;"}, {"Type_set_name", ";%"}, {"Type_match_size", "-.;"},
    {"Win_call_errhandler", ";."}, {"Win_create_keyval", ";"}, {"Win_delete_attr", ";;"},
    {"Win_free_keyval", ";"}, {"Win_get_attr", ";;."}, {"Win_get_name", ";%."}, {"Win_set_attr", ";;"},
    {"Win_set_name", ";%"}, {"Alloc_mem", ".;"}, {"Comm_create_errhandler", ";"},
    {"Comm_get_errhandler", ";;"}, {"Comm_set_errhandler", ";;"}, {"File_create_errhandler", ";"},
    {"File_get_errhandler", ";;"}, {"File_set_errhandler", ";;"}, {"Finalized", "."}, {"Free_mem", ""},
    {"Get_address", "."}, {"Info_create", ";"}, {"Info_delete", ";%"}, {"Info_dup", ";;"}, {"Info_free", ";"},
    {"Info_get", ";%.%."}, {"Info_get_nkeys", ";."}, {"Info_get_nthkey", ";.%"},
    {"Info_get_valuelen", ";%.."}, {"Info_set", ";%%"}, {"Pack_external", "%.;..."},
    {"Pack_external_size", "%.;."}, {"Request_get_status", "..S"}, {"Type_create_darray", "...#%##-;;"},
    {"Type_create_hindexed", ".A#tw", DUMPI_TYPE}, {"Type_create_hvector", "ce.tw", DUMPI_TYPE},
    {"Type_create_indexed_block", "ce#tw", DUMPI_TYPE}, {"Type_create_resized", "t..w", DUMPI_TYPE},
    {"Type_create_struct", ".A#Tw", DUMPI_TYPE}, {"Type_create_subarray", ".#B#-tw", DUMPI_TYPE},
    {"Type_get_extent", ";.."}, {"Type_get_true_extent", ";.."}, {"Unpack_external", "%....;"},
    {"Win_create_errhandler", ";"}, {"Win_get_errhandler", ";;"}, {"Win_set_errhandler", ";;"},
    {"File_open", ";%-;;"}, {"File_close", ";"}, {"File_delete", "%;"}, {"File_set_size", ";:"},
    {"File_preallocate", ";:"}, {"File_get_size", ";:"}, {"File_get_group", ";;"}, {"File_get_amode", ";-"},
    {"File_set_info", ";;"}, {"File_get_info", ";;"}, {"File_set_view", ";:;;%;"}, {"File_get_view", ";:;;%"},
    {"File_read_at", ";:.;S"}, {"File_read_at_all", ";:.;S"}, {"File_write_at", ";:.;S"},
    {"File_write_at_all", ";:.;S"}, {"File_iread_at", ";:.;r", DUMPI_OTHER},
    {"File_iwrite_at", ";:.;r", DUMPI_OTHER}, {"File_read", ";.;S"}, {"File_read_all", ";.;S"},
    {"File_write", ";.;S"}, {"File_write_all", ";.;S"}, {"File_iread", ";.;r", DUMPI_OTHER},
    {"File_iwrite", ";.;r", DUMPI_OTHER}, {"File_seek", ";:-"}, {"File_get_position", ";:"},
    {"File_get_byte_offset", ";::"}, {"File_read_shared", ";.;S"}, {"File_write_shared", ";.;S"},
    {"File_iread_shared", ";.;r", DUMPI_OTHER}, {"File_iwrite_shared", ";.;r", DUMPI_OTHER},
    {"File_read_ordered", ";.;S"}, {"File_write_ordered", ";.;S"}, {"File_seek_shared", ";:-"},
    {"File_get_position_shared", ";:"}, {"File_read_at_all_begin", ";:.;"}, {"File_read_at_all_end", ";S"},
    {"File_write_at_all_begin", ";:.;"}, {"File_write_at_all_end", ";S"}, {"File_read_all_begin", ";.;"},
    {"File_read_all_end", ";S"}, {"File_write_all_begin", ";.;"}, {"File_write_all_end", ";S"},
    {"File_read_ordered_begin", ";.;"}, {"File_read_ordered_end", ";S"}, {"File_write_ordered_begin", ";.;"},
    {"File_write_ordered_end", ";S"}, {"File_get_type_extent", ";;."}, {"Register_datarep", "%"},
    {"File_set_atomicity", ";."}, {"File_get_atomicity", ";."}, {"File_sync", ";"}, {"IO_Test", "..S"},
    {"IO_Wait", ".S"}, {"IO_Testall", ".#.S"}, {"IO_Waitall", ".#S"}, {"IO_Testany", ".#..S"},
    {"IO_Waitany", ".#.S"}, {"IO_Waitsome", ".#.#S"}, {"IO_Testsome", ".#.#S"},
    // clang-format on
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], ENTER = FUNCTIONS + 1, LEAVE, END_OF_STREAM };
enum { HAS_STATUS = 3, HAS_CPU = 4, HAS_WALL = 8, HAS_THREAD = 64, HAS_COUNTERS = 128, STATUS_BYTES = 14 };

uint64_t wi_dumpi_take(dumpi_bytes *b, uint32_t bytes)
{
    uint64_t value = 0;
    b->cut |= (size_t)(b->end - b->at) < bytes;
    for (uint32_t i = 0; i < bytes && !b->cut; i++)
        value = value << 8 | *b->at++;
    return value;
}

int32_t wi_dumpi_item(const dumpi_list *list, uint32_t i, uint32_t bytes)
{
    dumpi_bytes b = {list->at + (size_t)i * bytes, list->at + ((size_t)i + 1) * bytes, false};
    return (int32_t)(uint32_t)wi_dumpi_take(&b, bytes);
}

static dumpi_list take_list(dumpi_bytes *b, uint32_t bytes)
{
    dumpi_list list = {NULL, (uint32_t)wi_dumpi_take(b, 4)};
    list.at = b->at;
    b->cut |= (size_t)(b->end - b->at) / bytes < list.n;
    if (b->cut)
        list.n = 0;
    b->at += (size_t)list.n * bytes;
    return list;
}

/* Lists in a list: of three numbers, or of characters. */
static dumpi_list take_lists(dumpi_bytes *b, bool of_three)
{
    dumpi_list list = {NULL, (uint32_t)wi_dumpi_take(b, 4)};
    list.at = b->at;
    for (uint32_t i = 0; i < list.n && !b->cut; i++)
        b->cut |= take_list(b, of_three ? 4 : 1).n != 3 && of_three;
    return list;
}

bool wi_dumpi_status(const dumpi_call *call, uint32_t i, dumpi_status *out)
{
    const dumpi_list *const list = DUMPI_LIST(call, 'S');
    if (i >= list->n)
        return false;
    const uint8_t *const at = list->at + (size_t)i * STATUS_BYTES;
    const dumpi_list numbers = {at, 2}, tag = {at + 10, 1};
    *out = (dumpi_status){.bytes = wi_dumpi_item(&numbers, 0, 4),
                          .source = wi_dumpi_item(&numbers, 1, 4),
                          .tag = wi_dumpi_item(&tag, 0, 4),
                          .cancelled = at[8] != 0};
    return true;
}

static void take_field(dumpi_bytes *b, dumpi_call *call, char letter, uint32_t mask)
{
    const bool is_list = (letter >= 'A' && letter <= 'Z') || strchr("#&%", letter);
    const uint32_t width = letter == 'S'                    ? STATUS_BYTES
                           : letter == ':'                  ? 8
                           : strchr("-%", letter)           ? 1
                           : strchr("tuwmnpqyTU;&", letter) ? 2
                                                            : 4;
    dumpi_list list = {0};
    uint64_t value = 0;
    if (letter == '*' || letter == 'L')
        list = take_lists(b, letter == 'L');
    else if (is_list && (letter != 'S' || mask & HAS_STATUS))
        list = take_list(b, width);
    else if (!is_list)
        value = wi_dumpi_take(b, width);
    if (letter >= 'A' && letter <= 'Z')
        *DUMPI_LIST(call, letter) = list;
    if (letter >= 'a' && letter <= 'z')
        DUMPI_VALUE(call, letter) = (int32_t)(uint32_t)value;
}

static weir_time take_time(dumpi_bytes *b)
{
    const weir_time seconds = (weir_time)wi_dumpi_take(b, 2);
    return seconds * WEIR_PS_PER_S + (weir_time)wi_dumpi_take(b, 4) * 1000;
}

dumpi_next wi_dumpi_next(dumpi_bytes *b, dumpi_call *call)
{
    const uint32_t number = call->number, function = (uint32_t)wi_dumpi_take(b, 2);
    *call = (dumpi_call){.number = number, .name = "?", .fields = ":"};
    if (b->cut || function == END_OF_STREAM)
        return b->cut ? DUMPI_CUT : DUMPI_END;
    if (function >= FUNCTIONS && function != ENTER && function != LEAVE)
        return DUMPI_UNKNOWN;
    if (function < FUNCTIONS) {
        call->number++;
        call->name = functions[function].name;
        call->fields = functions[function].fields;
        call->what = functions[function].what;
        call->op = functions[function].op;
    }
    const uint32_t mask = (uint32_t)wi_dumpi_take(b, 1);
    call->thread = mask & HAS_THREAD ? (uint32_t)wi_dumpi_take(b, 2) : 0;
    call->timed = (mask & (HAS_CPU | HAS_WALL)) != 0;
    for (uint32_t has = HAS_CPU; has <= HAS_WALL; has *= 2)
        if (mask & has) {
            call->start_ps = take_time(b);
            call->stop_ps = take_time(b);
        }
    for (uint32_t i = mask & HAS_COUNTERS ? 2 * (uint32_t)wi_dumpi_take(b, 1) : 0; i > 0; i--)
        (void)wi_dumpi_take(b, 8);
    bool there = true;
    for (const char *field = call->fields; *field; field++) {
        if (there && *field != '?')
            take_field(b, call, *field, mask);
        there = *field != '?' || DUMPI_VALUE(call, 'k') == DUMPI_VALUE(call, 'o');
    }
    return b->cut ? DUMPI_CUT : function < FUNCTIONS ? DUMPI_CALL : DUMPI_NO_CALL;
}
