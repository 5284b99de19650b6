// The table of contents of the compiled core: one register function for each topic.
#include <nanobind/nanobind.h>

#include "register.hpp"

NB_MODULE(_core, m) {
    // Test runners and notebooks keep references until the interpreter ends, so leak warnings would not help users.
    nanobind::set_leak_warnings(false);
    m.doc() = "Compiled kernels of bayou: arrays in, arrays out.";
    bayou::bindings::register_bif(m);
    bayou::bindings::register_boosted_trees(m);
    bayou::bindings::register_bucket_bounds(m);
    bayou::bindings::register_class_moments(m);
    bayou::bindings::register_class_scores(m);
    bayou::bindings::register_class_trees(m);
    bayou::bindings::register_counting(m);
    bayou::bindings::register_density(m);
    bayou::bindings::register_dependence(m);
    bayou::bindings::register_digitise(m);
    bayou::bindings::register_packed_codes(m);
    bayou::bindings::register_family_scores(m);
    bayou::bindings::register_chain_climbs(m);
    bayou::bindings::register_hidden_chain(m);
    bayou::bindings::register_equivalence_search(m);
    bayou::bindings::register_expected_counts(m);
    bayou::bindings::register_independence(m);
    bayou::bindings::register_inference_plan(m);
    bayou::bindings::register_integer_matrix(m);
    bayou::bindings::register_kalman(m);
    bayou::bindings::register_loopy_propagation(m);
    bayou::bindings::register_mixed_slices(m);
    bayou::bindings::register_network_tree(m);
    bayou::bindings::register_sparse_tree(m);
    bayou::bindings::register_moments(m);
    bayou::bindings::register_climbing_graph(m);
    bayou::bindings::register_order_climb(m);
    bayou::bindings::register_pair_tables(m);
    bayou::bindings::register_particles(m);
    bayou::bindings::register_row_sample(m);
    bayou::bindings::register_samplers(m);
    bayou::bindings::register_slices(m);
    bayou::bindings::register_sampling(m);
    bayou::bindings::register_tables(m);
    bayou::bindings::register_sparse_rows(m);
    bayou::bindings::register_text(m);
    bayou::bindings::register_arrow(m);
    bayou::bindings::register_objects(m);
    bayou::bindings::register_text_file(m);
    bayou::bindings::register_switching_particles(m);
    bayou::bindings::register_threads(m);
}
