// Particle filters: weights, resampling, and whole runs of models of the core.
#include <cstdlib>
#include <memory>
#include <new>

#include "arrays.hpp"
#include "bayou/particles/particle_run.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

Resampling resampling_kind(std::int64_t kind) {
    return static_cast<Resampling>(natural(kind, "resampling", static_cast<std::uint64_t>(Resampling::multinomial)));
}

void check_numbers(const char* name, std::size_t given, std::size_t expected) {
    if (given != expected) {
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(given) + " numbers: expected " +
                                    std::to_string(expected));
    }
}

// Memory for n numbers that becomes a numpy array; every number will be written, so it is not zeroed.
template <typename T>
class ParticleNumbers {
  public:
    explicit ParticleNumbers(std::size_t n) : n_(n) {
        if (n > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
        memory_.reset(static_cast<T*>(std::malloc(n ? n * sizeof(T) : 1)));
        if (!memory_) throw std::bad_alloc();
    }
    T* data() { return memory_.get(); }
    Array<T> release() {
        nb::capsule owner(memory_.get(), [](void* memory) noexcept { std::free(memory); });
        return Array<T>(memory_.release(), {n_}, owner);
    }

  private:
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::size_t n_;
    std::unique_ptr<T, Free> memory_;
};

Tuple<Array<double>, Array<double>, double, double> weigh_particles_py(const Vector<double>& before,
                                                                       const Vector<double>& logs, int threads) {
    const std::size_t n = logs.shape(0);
    check_numbers("before", before.shape(0), n);
    ParticleNumbers<double> sums(n), weights(n);
    AllWeights all;
    {
        const Unlocked unlocked;
        all = weigh(before.data(), logs.data(), n, sums.data(), weights.data(), threads);
    }
    return nb::make_tuple(sums.release(), weights.release(), all.log_mean, all.effective_size);
}

Array<std::int64_t> resample_particles_py(const Vector<double>& weights, std::int64_t kind, std::uint64_t seed,
                                          std::uint64_t step, int threads) {
    const std::size_t n = weights.shape(0);
    const Resampling resampling = resampling_kind(kind);
    ParticleNumbers<std::int64_t> ancestors(n);
    {
        const Unlocked unlocked;
        const AllWeights all = given_weights(weights.data(), n);
        const StreamOfRows random{seed, particle_stream(step, resampling_slot), 0};
        if (n) resample(resampling, weights.data(), all, n, random, ancestors.data(), threads);
    }
    return ancestors.release();
}

Array<double> normal_numbers_py(std::uint64_t seed, std::uint64_t stream, std::int64_t count, double mean, double spread,
                                int threads) {
    const std::size_t n = natural(count, "n");
    ParticleNumbers<double> out(n);
    {
        const Unlocked unlocked;
        normal_numbers(seed, stream, n, mean, spread, out.data(), threads);
    }
    return out.release();
}

Tuple<Array<double>, Array<double>> weighted_moments_py(const Matrix<double>& values, const Vector<double>& weights) {
    const std::size_t rows = values.shape(0), columns = values.shape(1);
    check_numbers("weights", weights.shape(0), rows);
    Output<double> means({columns}), spreads({columns});
    if (rows) {
        const Unlocked unlocked;
        weighted_moments(values.data(), weights.data(), rows, columns, means.data(), spreads.data());
    }
    return nb::make_tuple(means.release(), spreads.release());
}

Array<double> weighted_quantiles_py(const Vector<double>& values, const Vector<double>& weights,
                                    const std::vector<double>& levels) {
    check_numbers("weights", weights.shape(0), values.shape(0));
    Output<double> found({levels.size()});
    {
        const Unlocked unlocked;
        weighted_quantiles(values.data(), weights.data(), nullptr, values.shape(0), levels, found.data());
    }
    return found.release();
}

using RunTuple = Tuple<std::int64_t, Array<double>, Array<double>, Array<std::uint8_t>, Array<double>, Array<double>,
                       Array<double>, Array<double>, Array<double>>;

class PyParticleRun {
  public:
    PyParticleRun(std::int64_t particles, std::uint64_t seed, std::int64_t resampling, double resample_below,
                  bool looks_ahead)
        : run_({natural(particles, "particles"), seed, resampling_kind(resampling), resample_below, looks_ahead}) {}

    RunTuple run_linear(const Vector<std::int64_t>& sets, const Tensor<double>& F, const Tensor<double>& G,
                        const Tensor<double>& H, const Matrix<double>& shifts, const Matrix<double>& offsets,
                        const Vector<double>& constants, bool weighs_old, const Tensor<double>& ahead_H,
                        const Matrix<double>& ahead_offsets, const Vector<double>& ahead_constants,
                        const std::vector<double>& levels, bool keep, int threads) {
        const std::size_t rows = sets.shape(0), d = shifts.shape(1), k = offsets.shape(1);
        if (F.ndim() != 3) throw std::invalid_argument("F: expected an array of shape (sets, d, d)");
        const std::size_t count = F.shape(0);
        if (d == 0 || d >= resampling_slot) throw std::invalid_argument("shifts: expected 1 to 65,534 components");
        check_numbers("F", F.size(), count * d * d);
        check_numbers("G", G.size(), count * d * d);
        check_numbers("H", H.size(), count * k * d);
        check_numbers("ahead_H", ahead_H.size(), count * k * d);
        check_numbers("shifts", shifts.size(), rows * d);
        for (const auto* one : {&offsets, &ahead_offsets}) check_numbers("offsets", one->size(), rows * k);
        for (const auto* one : {&constants, &ahead_constants}) check_numbers("constants", one->size(), rows);
        for (std::size_t row = 0; row < rows; ++row) natural(sets.data()[row], "a set", count - 1);
        LinearModel model({d, k, rows, sets.data(), F.data(), G.data(), H.data(), shifts.data(), offsets.data(),
                           constants.data(), weighs_old, ahead_H.data(), ahead_offsets.data(), ahead_constants.data()});
        return run(model, levels, keep, threads);
    }

    RunTuple run_volatility(double mean, double persistence, double spread, double first_spread,
                            const Vector<double>& observations, bool guided, const std::vector<double>& levels,
                            bool keep, int threads) {
        VolatilityModel model({mean, persistence, spread, first_spread, observations.data(), observations.shape(0),
                               guided ? Proposal::guided : Proposal::blind});
        return run(model, levels, keep, threads);
    }

    RunTuple run_codes(const Vector<double>& start, const Matrix<double>& transition, const Matrix<double>& logs,
                       bool guided, bool keep, int threads) {
        const std::size_t k = start.shape(0);
        if (k == 0) throw std::invalid_argument("start is empty: expected a probability for each state");
        check_numbers("transition", transition.size(), k * k);
        check_numbers("a row of logs", logs.shape(1), k);
        CodedModel model({k, logs.shape(0), start.data(), transition.data(), logs.data(),
                          guided ? Proposal::guided : Proposal::blind});
        for (const double code : run_.states()) {
            if (code >= static_cast<double>(k)) throw std::invalid_argument("the model has fewer states than before");
        }
        return run(model, {}, keep, threads);
    }

    Tuple<Array<double>, Array<double>> particles() const {
        Output<double> states({run_.components(), run_.particles()}), logs({run_.particles()});
        std::copy(run_.states().begin(), run_.states().end(), states.data());
        std::copy(run_.logs().begin(), run_.logs().end(), logs.data());
        return nb::make_tuple(states.release(), logs.release());
    }

  private:
    RunTuple run(ParticleModel& model, const std::vector<double>& levels, bool keep, int threads) {
        const std::size_t rows = model.steps(), d = model.components(), n = run_.particles();
        const std::size_t columns = model.codes() ? model.codes() : d;
        Output<double> steps({rows}), sizes({rows}), means({rows, columns}), spreads({model.codes() ? 0 : rows, d});
        Output<double> quantiles({rows, levels.size(), d}), states({keep ? rows : 0, d, n}), logs({keep ? rows : 0, n});
        Output<std::uint8_t> resampled({rows});
        std::size_t done = 0;
        {
            const Unlocked unlocked;
            done = run_.run(model, {steps.data(), sizes.data(), resampled.data(), means.data(), spreads.data(), levels,
                                    quantiles.data(), keep ? states.data() : nullptr, keep ? logs.data() : nullptr},
                            threads);
        }
        return nb::make_tuple(static_cast<std::int64_t>(done), steps.release(), sizes.release(), resampled.release(),
                              means.release(), spreads.release(), quantiles.release(), states.release(),
                              logs.release());
    }

    ParticleRun run_;
};

}  // namespace

void register_particles(nb::module_& m) {
    using namespace nb::literals;
    m.def("weigh_particles", &weigh_particles_py, "before"_a, "logs"_a, "threads"_a = 0,
          "(before + logs, weights that sum to 1, log of the mean weight or NaN, effective size).");
    m.def("resample_particles", &resample_particles_py, "weights"_a, "resampling"_a, "seed"_a, "step"_a, "threads"_a = 0,
          "The ancestors of as many new particles; 0 systematic, 1 stratified, 2 residual, 3 multinomial.");
    m.def("normal_numbers", &normal_numbers_py, "seed"_a, "stream"_a, "n"_a, "mean"_a = 0.0, "spread"_a = 1.0,
          "threads"_a = 0, "Normal numbers that depend on the seed, the stream and their place only.");
    m.def("weighted_moments", &weighted_moments_py, "values"_a, "weights"_a,
          "(Means, standard deviations) of the columns of a matrix.");
    m.def("weighted_quantiles", &weighted_quantiles_py, "values"_a, "weights"_a, "levels"_a,
          "The smallest value whose cumulative weight reaches each level.");
    nb::class_<PyParticleRun>(m, "ParticleRun")
        .def(nb::init<std::int64_t, std::uint64_t, std::int64_t, double, bool>(), "particles"_a, "seed"_a,
             "resampling"_a, "resample_below"_a, "looks_ahead"_a,
             "A particle filter that goes on from call to call.")
        .def("run_linear", &PyParticleRun::run_linear, "sets"_a, "F"_a, "G"_a, "H"_a, "shifts"_a, "offsets"_a,
             "constants"_a, "weighs_old"_a, "ahead_H"_a, "ahead_offsets"_a, "ahead_constants"_a, "levels"_a, "keep"_a,
             "threads"_a = 0, "x' = F x + shift + G e; log weight = constant - |H s + offset|^2 / 2, s = x' or x.")
        .def("run_volatility", &PyParticleRun::run_volatility, "mean"_a, "persistence"_a, "spread"_a,
             "first_spread"_a, "observations"_a, "guided"_a, "levels"_a, "keep"_a, "threads"_a = 0,
             "x' = mean + persistence (x - mean) + spread e; y = exp(x / 2) v.")
        .def("run_codes", &PyParticleRun::run_codes, "start"_a, "transition"_a, "logs"_a, "guided"_a, "keep"_a,
             "threads"_a = 0, "States that move by a table; logs is log P(row | state).")
        .def("particles", &PyParticleRun::particles, "(states, [component, particle], logs of their weights).");
}

}  // namespace bayou::bindings
