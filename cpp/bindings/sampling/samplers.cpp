// Sampling from networks of tables: rows with weights, and Gibbs chains.
#include "arrays.hpp"
#include "bayou/sampling/gibbs_chains.hpp"
#include "bayou/sampling/row_sampler.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Scope = std::vector<std::uint32_t>;
using Scopes = std::vector<Scope>;
using Tables = List<Array<double>>;

// Copies of the tables, so no array must outlive the sampler.
std::vector<SamplerTable> tables_from(const Scopes& scopes, const nb::list& tables) {
    if (tables.size() != scopes.size()) throw std::invalid_argument("expected one table a scope");
    std::vector<SamplerTable> found;
    for (std::size_t at = 0; at < scopes.size(); ++at) {
        const auto table = array_from<Tensor<double>>(tables[at], "a table", "a contiguous float64 array");
        found.push_back({scopes[at], std::vector<double>(table.data(), table.data() + table.size())});
    }
    return found;
}

nb::list inner_list(const nb::list& lists, std::size_t at) {
    if (!nb::isinstance<nb::list>(lists[at])) throw std::invalid_argument("expected a list of tables for each variable");
    return nb::cast<nb::list>(lists[at]);
}

class PyRowSampler {
  public:
    PyRowSampler(const Scope& cards, const Scope& variables, const std::vector<std::uint64_t>& streams,
                 const std::vector<Scopes>& factor_scopes, const nb::list& factors,
                 const std::vector<Scopes>& divisor_scopes, const nb::list& divisors, const Scopes& weight_scopes,
                 const nb::list& weights) {
        const std::size_t steps = variables.size();
        if (streams.size() != steps || factor_scopes.size() != steps || factors.size() != steps ||
            divisor_scopes.size() != steps || divisors.size() != steps) {
            throw std::invalid_argument("expected a stream, factors and divisors for each variable");
        }
        std::vector<SamplerStep> given;
        for (std::size_t at = 0; at < steps; ++at) {
            given.push_back({variables[at], streams[at], tables_from(factor_scopes[at], inner_list(factors, at)),
                             tables_from(divisor_scopes[at], inner_list(divisors, at))});
        }
        sampler_ = std::make_unique<RowSampler>(cards, given, tables_from(weight_scopes, weights));
    }

    Tuple<List<CodeArray>, Array<double>> draw(std::uint64_t seed, std::uint64_t first_row, std::int64_t rows, const Scope& variables,
                         bool weighted,
                                               int threads) const {
        const std::size_t n = natural(rows, "n");
        if (first_row + n < first_row) throw std::invalid_argument("first_row + n is beyond 2**64: rows are counted in 64 bits");
        std::vector<void*> columns;
        Output<double> logs({weighted ? n : 0});
        std::vector<nb::object> arrays;
        for (const std::uint32_t variable : variables) {
            if (variable >= sampler_->cards().size()) throw std::invalid_argument("variables names an unknown one");
            const std::uint32_t card = sampler_->cards()[variable];
            if (card <= 0xFF) add<std::uint8_t>(n, columns, arrays);
            else if (card <= 0xFFFF) add<std::uint16_t>(n, columns, arrays);
            else add<std::uint32_t>(n, columns, arrays);
        }
        {
            const Unlocked unlocked;
            sampler_->draw(seed, first_row, n, variables, columns, weighted ? logs.data() : nullptr, threads);
        }
        nb::list result;
        for (nb::object& array : arrays) result.append(std::move(array));
        return nb::make_tuple(result, logs.release());
    }

    Tuple<double, double, double, double, std::uint64_t, Array<double>, Array<double>> weighted_sums(
        std::uint64_t seed, std::uint64_t first_row, std::int64_t rows, const Scopes& targets, int threads) const {
        WeightedSums found;
        {
            const Unlocked unlocked;
            found = sampler_->weighted_sums(seed, first_row, natural(rows, "n"), targets, threads);
        }
        return nb::make_tuple(found.log_scale, found.total, found.squares, found.largest, found.positive,
                              copied(found.sums), copied(found.square_sums));
    }

  private:
    template <typename Code>
    static void add(std::size_t n, std::vector<void*>& columns, std::vector<nb::object>& arrays) {
        Output<Code> out({n});
        columns.push_back(out.data());
        arrays.push_back(nb::cast(out.release()));
    }

    static Array<double> copied(const std::vector<double>& numbers) {
        Output<double> out({numbers.size()});
        std::copy(numbers.begin(), numbers.end(), out.data());
        return out.release();
    }

    std::unique_ptr<const RowSampler> sampler_;
};

class PyGibbsChains {
  public:
    PyGibbsChains(const Scope& cards, const Scopes& scopes, const nb::list& tables, const Scopes& blocks,
                  const Object<Array<std::uint32_t>>& starts, std::uint64_t seed) {
        const auto codes = array_from<Matrix<std::uint32_t>>(starts, "starts", "a contiguous two-dimensional uint32 array");
        if (codes.shape(1) != cards.size()) throw std::invalid_argument("starts needs a column for each variable");
        chains_ = std::make_unique<GibbsChains>(cards, tables_from(scopes, tables), blocks,
                                                Scope(codes.data(), codes.data() + codes.size()), seed);
    }

    Tuple<Array<double>, Array<double>> run(std::int64_t sweeps, const Scope& joint, int threads) {
        Output<double> sums({chains_->chains(), chains_->cells()});
        Output<double> joint_sums({chains_->chains(), chains_->joint_cells(joint)});
        {
            const Unlocked unlocked;
            chains_->run(natural(sweeps, "sweeps"), joint, sums.data(), joint_sums.data(), threads);
        }
        return nb::make_tuple(sums.release(), joint_sums.release());
    }

  private:
    std::unique_ptr<GibbsChains> chains_;
};

}  // namespace

void register_samplers(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyRowSampler>(m, "RowSampler")
        .def(nb::init<const Scope&, const Scope&, const std::vector<std::uint64_t>&, const std::vector<Scopes>&,
                      const List<Tables>&, const std::vector<Scopes>&, const List<Tables>&, const Scopes&, const Tables&>(),
             "cards"_a, "variables"_a, "streams"_a, "factor_scopes"_a, "factors"_a, "divisor_scopes"_a, "divisors"_a,
             "weight_scopes"_a, "weights"_a,
             "Draws variables one after the other, each from the product of its factors given those before.")
        .def("draw", &PyRowSampler::draw, "seed"_a, "first_row"_a, "n"_a, "variables"_a, "weighted"_a, "threads"_a = 0,
             "(Codes of these variables in rows first_row … first_row + n - 1, logs of the weights if weighted).")
        .def("weighted_sums", &PyRowSampler::weighted_sums, "seed"_a, "first_row"_a, "n"_a, "targets"_a, "threads"_a = 0,
             "Sums of the rows' weights and of their squares, in all and by cell of the targets.");
    nb::class_<PyGibbsChains>(m, "GibbsChains")
        .def(nb::init<const Scope&, const Scopes&, const Tables&, const Scopes&, const Object<Array<std::uint32_t>>&,
                      std::uint64_t>(),
             "cards"_a, "scopes"_a, "tables"_a, "blocks"_a, "starts"_a, "seed"_a,
             "Gibbs sampling from a product of tables; each block of variables is drawn together.")
        .def("run", &PyGibbsChains::run, "sweeps"_a, "joint"_a, "threads"_a = 0,
             "By chain: sums of P(state | other blocks) of each variable, and counts of the joint states.");
}

}  // namespace bayou::bindings
