// Rao-Blackwellised particles of slices with numbers and states.
#include "bayou/switching/backward_paths.hpp"
#include "mixed_arrays.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

// Likelihoods of states [row, state], or arrays without rows.
class StateLikelihoods {
  public:
    StateLikelihoods(const MixedTemplate& model, const List<Array<double>>& arrays, std::size_t rows) {
        check_length("likelihoods", arrays.size(), model.codes);
        for (std::size_t v = 0; v < model.codes; ++v) {
            held_.push_back(array_from<Matrix<double>>(arrays[v], "likelihoods",
                                                       "contiguous two-dimensional float64 arrays"));
            const bool none = held_.back().shape(0) == 0;
            if (!none) {
                check_length("likelihoods", held_.back().shape(0), rows);
                check_length("a row of likelihoods", held_.back().shape(1), model.states[v]);
            }
            views.push_back(none ? nullptr : held_.back().data());
        }
    }
    std::vector<const double*> views;

  private:
    std::vector<Matrix<double>> held_;
};

// One sequence, its particles' settings, and all arrays that the run reads.
class SwitchingInput {
  public:
    SwitchingInput(const MixedTemplate& model, const Vector<std::uint32_t>& slices, const Matrix<double>& values,
                   const Matrix<std::uint8_t>& are_set, const Matrix<std::uint32_t>& codes,
                   const Matrix<std::uint8_t>& codes_are_set, const List<Array<double>>& likelihoods,
                   std::int64_t particles, std::uint64_t seed, std::int64_t resampling, double resample_below)
        : ends_{0, static_cast<std::int64_t>(slices.shape(0))},
          arrays_(model, Vector<std::int64_t>(ends_, 1, shape_, nb::handle()), slices, values, are_set, codes,
                  codes_are_set, false),
          seen(model, likelihoods, arrays_.view.rows),
          settings{natural(particles, "particles"), seed,
                   static_cast<Resampling>(
                       natural(resampling, "resampling", static_cast<std::uint64_t>(Resampling::multinomial))),
                   resample_below} {
        for (const std::size_t count : model.states) states += count;
    }
    const MixedRows& rows() const { return arrays_.view; }

  private:
    const std::int64_t ends_[2];
    const std::size_t shape_[1] = {2};
    MixedRowArrays arrays_;

  public:
    StateLikelihoods seen;
    SwitchingSettings settings;
    std::size_t states = 0;  // of all variables
};

using SwitchingArrays = Tuple<std::int64_t, Array<double>, Array<double>, Array<std::uint8_t>, Array<double>,
                              Array<double>, Array<double>, Array<double>, Array<double>>;

SwitchingArrays switching_filter_py(const MixedTemplate& model, const Vector<std::uint32_t>& slices,
                                    const Matrix<double>& values, const Matrix<std::uint8_t>& are_set,
                                    const Matrix<std::uint32_t>& codes, const Matrix<std::uint8_t>& codes_are_set,
                                    const List<Array<double>>& likelihoods, std::int64_t particles, std::uint64_t seed,
                                    std::int64_t resampling, double resample_below, int threads) {
    const SwitchingInput given(model, slices, values, are_set, codes, codes_are_set, likelihoods, particles, seed,
                               resampling, resample_below);
    const std::size_t n = given.rows().rows, m = model.variables;
    Output<double> steps({n}), sizes({n}), shares({n, given.states}), share_errors({n, given.states});
    Output<double> means({n, m}), variances({n, m}), mean_errors({n, m});
    Output<std::uint8_t> resampled({n});
    std::size_t taken = 0;
    {
        const Unlocked unlocked;
        SwitchingRun run(model, given.settings);
        taken = run.run(given.rows(), given.seen.views,
                        {steps.data(), sizes.data(), resampled.data(), shares.data(), share_errors.data(), means.data(),
                         variances.data(), mean_errors.data()},
                        threads);
    }
    return nb::make_tuple(static_cast<std::int64_t>(taken), steps.release(), sizes.release(), resampled.release(),
                          shares.release(), share_errors.release(), means.release(), variances.release(),
                          mean_errors.release());
}

using PathArrays = Tuple<std::int64_t, std::int64_t, Array<double>, Array<double>, Array<std::uint32_t>>;

PathArrays switching_paths_py(const MixedTemplate& model, const Vector<std::uint32_t>& slices,
                              const Matrix<double>& values, const Matrix<std::uint8_t>& are_set,
                              const Matrix<std::uint32_t>& codes, const Matrix<std::uint8_t>& codes_are_set,
                              const List<Array<double>>& likelihoods, std::int64_t particles, std::uint64_t seed,
                              std::int64_t resampling, double resample_below, std::int64_t paths, int threads) {
    const SwitchingInput given(model, slices, values, are_set, codes, codes_are_set, likelihoods, particles, seed,
                               resampling, resample_below);
    const std::size_t n = given.rows().rows, count = natural(paths, "paths");
    Output<double> steps({n}), sizes({n});
    Output<std::uint8_t> resampled({n});
    Output<std::uint32_t> states({count, n, model.codes});
    std::size_t taken = 0;
    std::int64_t failed = -1;
    {
        const Unlocked unlocked;
        SwitchingRun run(model, given.settings);
        std::vector<KeptParticles> kept;
        run.after_row = [&](std::size_t) { kept.push_back({run.particles(), run.shares()}); };
        taken = run.run(given.rows(), given.seen.views,
                        {steps.data(), sizes.data(), resampled.data(), nullptr, nullptr, nullptr, nullptr, nullptr},
                        threads);
        if (taken == n) {
            failed = draw_paths(model, given.rows(), kept, count, given.settings.seed, states.data(), threads);
        }
    }
    return nb::make_tuple(static_cast<std::int64_t>(taken), failed, steps.release(), sizes.release(), states.release());
}

}  // namespace

void register_switching_particles(nb::module_& m) {
    using namespace nb::literals;
    m.def("switching_filter", &switching_filter_py, "model"_a, "slices"_a, "values"_a, "are_set"_a, "codes"_a,
          "codes_are_set"_a, "likelihoods"_a, "particles"_a, "seed"_a, "resampling"_a, "resample_below"_a,
          "threads"_a = 0,
          "(rows taken, logs of rows, effective sizes, resampled; shares and errors; means, variances, errors).");
    m.def("switching_paths", &switching_paths_py, "model"_a, "slices"_a, "values"_a, "are_set"_a, "codes"_a,
          "codes_are_set"_a, "likelihoods"_a, "particles"_a, "seed"_a, "resampling"_a, "resample_below"_a, "paths"_a,
          "threads"_a = 0,
          "(rows taken, row without a density or -1, logs of rows, effective sizes, states [path, row, variable]).");
}

}  // namespace bayou::bindings
