// One register_* function for each topic, defined in the binding file of that topic.
#pragma once

#include <nanobind/nanobind.h>

namespace bayou::bindings {

void register_bif(nanobind::module_& m);
void register_boosted_trees(nanobind::module_& m);
void register_bucket_bounds(nanobind::module_& m);
void register_class_moments(nanobind::module_& m);
void register_class_scores(nanobind::module_& m);
void register_class_trees(nanobind::module_& m);
void register_counting(nanobind::module_& m);
void register_density(nanobind::module_& m);
void register_dependence(nanobind::module_& m);
void register_digitise(nanobind::module_& m);
void register_packed_codes(nanobind::module_& m);
void register_chain_climbs(nanobind::module_& m);
void register_hidden_chain(nanobind::module_& m);
void register_family_scores(nanobind::module_& m);
void register_equivalence_search(nanobind::module_& m);
void register_expected_counts(nanobind::module_& m);
void register_independence(nanobind::module_& m);
void register_inference_plan(nanobind::module_& m);
void register_integer_matrix(nanobind::module_& m);
void register_kalman(nanobind::module_& m);
void register_loopy_propagation(nanobind::module_& m);
void register_mixed_slices(nanobind::module_& m);
void register_network_tree(nanobind::module_& m);
void register_sparse_tree(nanobind::module_& m);
void register_moments(nanobind::module_& m);
void register_climbing_graph(nanobind::module_& m);
void register_order_climb(nanobind::module_& m);
void register_pair_tables(nanobind::module_& m);
void register_particles(nanobind::module_& m);
void register_row_sample(nanobind::module_& m);
void register_samplers(nanobind::module_& m);
void register_slices(nanobind::module_& m);
void register_sampling(nanobind::module_& m);
void register_tables(nanobind::module_& m);
void register_sparse_rows(nanobind::module_& m);
void register_text(nanobind::module_& m);
void register_arrow(nanobind::module_& m);
void register_objects(nanobind::module_& m);
void register_text_file(nanobind::module_& m);
void register_switching_particles(nanobind::module_& m);
void register_threads(nanobind::module_& m);

}  // namespace bayou::bindings
