/* Keys of a model that a job trains. */
#include "keys/traffic/traffic.h"

static const wi_key keys[] = {
    WI_KEY("layers", count, weir_training, layers, .required = true, .low = "1", .high = "100000",
           .also = "num_layers n_layers", .doc = "of the transformer"),
    WI_KEY("hidden", count, weir_training, hidden, .required = true, .low = "1", .high = "1000000",
           .also = "hidden_size d_model", .doc = "size of a token's vector; a multiple of `heads`"),
    WI_KEY("heads", count, weir_training, heads, .required = true, .low = "1", .high = "100000",
           .also = "attention_heads num_heads",
           .doc = "of attention; a multiple of `kv_heads` and of `tensor`"),
    WI_KEY("sequence", count, weir_training, sequence, .required = true, .low = "1", .high = "100000000",
           .also = "sequence_length seq_length", .doc = "tokens of a sequence"),
    WI_KEY("kv_heads", count, weir_training, kv_heads, .fallback = "auto", .word = "auto", .low = "1",
           .also = "num_query_groups", .doc = "that share keys and values; `auto`: `heads`"),
    WI_KEY("ffn", count, weir_training, ffn, .fallback = "auto", .word = "auto", .low = "1",
           .also = "ffn_hidden_size intermediate_size",
           .doc = "inner size of the perceptron; `auto`: 4 `hidden`"),
    WI_KEY("gated", bool, weir_training, gated, .fallback = "false", .also = "swiglu",
           .doc = "the perceptron has three matrices, as SwiGLU's"),
    WI_KEY("vocabulary", count, weir_training, vocabulary, .fallback = "51200", .low = "0",
           .high = "100000000", .also = "vocab_size vocab",
           .doc = "rows of the embedding, and of the logits"),
    WI_KEY("experts", count, weir_training, experts, .fallback = "1", .low = "1", .high = "65536",
           .also = "num_experts", .doc = "perceptrons of each layer"),
    WI_KEY("top_k", count, weir_training, top_k, .fallback = "1", .low = "1", .high = "65536",
           .also = "topk experts_per_token", .doc = "experts that a token goes to"),
    WI_KEY("micro_batch", count, weir_training, micro_batch, .fallback = "1", .low = "1", .high = "1000000",
           .doc = "sequences of a pass"),
    WI_KEY("micro_batches", count, weir_training, micro_batches, .fallback = "1", .low = "1",
           .high = "1000000", .also = "gradient_accumulation",
           .doc = "passes of an iteration: the global batch is `micro_batch` times this times `data`"),
    WI_KEY("tensor", count, weir_training, tensor, .fallback = "1", .low = "1", .high = "65536",
           .also = "tp tensor_parallel",
           .doc = "ranks that share each layer's matrices; they are neighbours"),
    WI_KEY("data", count, weir_training, data, .fallback = "1", .low = "1", .high = "1048576",
           .also = "dp data_parallel replicas", .doc = "copies of the model"),
    WI_KEY("pipeline", count, weir_training, pipeline, .fallback = "1", .low = "1", .high = "65536",
           .also = "pp pipeline_parallel stages", .doc = "stages; `layers` is a multiple"),
    WI_KEY("expert_parallel", count, weir_training, expert_parallel, .fallback = "1", .low = "1",
           .high = "65536", .also = "ep",
           .doc = "copies of the model that share a layer's experts; `data` and `experts` are multiples"),
    WI_KEY("sequence_parallel", bool, weir_training, sequence_parallel, .fallback = "false", .also = "sp",
           .doc = "all-gathers and reduce-scatters in place of all-reduces among `tensor` ranks"),
    WI_KEY("sharded", bool, weir_training, sharded, .fallback = "true", .also = "zero distributed_optimizer",
           .doc = "the optimiser's state is spread over `data` ranks: gradients are reduce-scattered and "
                  "values gathered; else all-reduced"),
    WI_KEY("recompute", bool, weir_training, recompute, .fallback = "false",
           .also = "checkpointing activation_checkpointing",
           .doc = "each layer's forward pass is done again before its backward pass"),
    WI_KEY("value_bytes", count, weir_training, value_bytes, .fallback = "2", .low = "1", .high = "8",
           .also = "precision", .doc = "of an activation and of a parameter"),
    WI_KEY("gradient_bytes", count, weir_training, gradient_bytes, .fallback = "4", .low = "1", .high = "8",
           .doc = "of a gradient as it is reduced"),
    WI_KEY("efficiency", share, weir_training, efficiency, .fallback = "50%", .above = "0%", .high = "100%",
           .also = "mfu utilisation", .doc = "share of `flops` that computations reach"),
};

static void want_multiple(wi_reader *r, const wi_node *node, const char *key, uint32_t value, const char *of,
                          uint32_t divisor)
{
    if (divisor && value % divisor)
        wi_complain(r, wi_place_of(node, key), "%s: %u is no multiple of %s: %u", key, value, of, divisor);
}

void wi_training_check(wi_reader *r, const wi_node *node, weir_training *m)
{
    m->kv_heads = m->kv_heads ? m->kv_heads : m->heads;
    m->ffn = m->ffn ? m->ffn : 4 * m->hidden;
    want_multiple(r, node, "layers", m->layers, "pipeline", m->pipeline);
    want_multiple(r, node, "hidden", m->hidden, "heads", m->heads);
    want_multiple(r, node, "heads", m->heads, "kv_heads", m->kv_heads);
    want_multiple(r, node, "heads", m->heads, "tensor", m->tensor);
    want_multiple(r, node, "data", m->data, "expert_parallel", m->expert_parallel);
    want_multiple(r, node, "experts", m->experts, "expert_parallel", m->expert_parallel);
    if (m->top_k > m->experts)
        wi_complain(r, wi_place_of(node, "top_k"), "a token goes to %u experts of %u", m->top_k, m->experts);
}

const wi_section wi_section_training =
    WI_SECTION("model of a job", keys, weir_training,
               .doc = "A transformer as Megatron-LM trains it, from its dimensions: `tensor` times `data` "
                      "times `pipeline` ranks, in this order. Computations take the time of their operations "
                      "at `flops` and `efficiency`. src/jobs/training.h has the formulas.",
               .place_offset = offsetof(weir_training, place));
