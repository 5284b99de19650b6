// Dynamic networks: programs of slices, and sequences run through them.
#include "arrays.hpp"
#include "bayou/dynamic/slice_runner.hpp"
#include "register.hpp"
#include "unlocked.hpp"

namespace bayou::bindings {

namespace {

using Whole = Array<std::int64_t>;
using WholeMatrix = Matrix<std::int64_t>;

// Rows of whole numbers that must not be negative.
class WholeRows {
  public:
    WholeRows(const Object<Whole>& item, const char* name, std::size_t columns)
        : rows_(array_from<WholeMatrix>(item, name, "a contiguous two-dimensional int64 array")), name_(name) {
        if (rows_.shape(1) != columns) {
            throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(columns) + " columns");
        }
    }
    std::size_t size() const { return rows_.shape(0); }
    std::size_t at(std::size_t row, std::size_t column) const {
        return natural(rows_.data()[row * rows_.shape(1) + column], name_);
    }

  private:
    WholeMatrix rows_;
    const char* name_;
};

std::vector<std::vector<double>> copied_tables(const List<Array<double>>& tables) {
    std::vector<std::vector<double>> found;
    for (std::size_t at = 0; at < tables.size(); ++at) {
        const auto table = array_from<Vector<double>>(tables[at], "a table", "a contiguous one-dimensional float64 array");
        found.emplace_back(table.data(), table.data() + table.size());
    }
    return found;
}

template <typename T>
T& of_pass(std::vector<T>& passes, std::size_t number) {
    if (number >= passes.size()) throw std::invalid_argument("a loop or an axis has no pass");
    return passes[number];
}

void add_loops(const WholeRows& loops, std::vector<SlicePass>& passes) {
    for (std::size_t k = 0; k < loops.size(); ++k) {
        SlicePass& pass = of_pass(passes, loops.at(k, 0));
        const SliceLoop loop{loops.at(k, 2), static_cast<std::ptrdiff_t>(loops.at(k, 3)),
                             static_cast<std::ptrdiff_t>(loops.at(k, 4)), static_cast<std::ptrdiff_t>(loops.at(k, 5))};
        switch (loops.at(k, 1)) {
            case 0: pass.kept.push_back(loop); break;
            case 1: pass.summed.push_back(loop); break;
            case 2: pass.along_left = loop; break;
            case 3: pass.along_right = loop; break;
            default: throw std::invalid_argument("loops: expected a role from 0 to 3");
        }
    }
}

std::vector<MessageAxis> axes_of(const WholeRows& rows) {
    std::vector<MessageAxis> axes;
    for (std::size_t k = 0; k < rows.size(); ++k) axes.push_back({rows.at(k, 0), rows.at(k, 1)});
    return axes;
}

class PySliceProgram {
  public:
    PySliceProgram(const Object<Whole>& operands, const Object<Whole>& picks, const List<Array<double>>& tables,
                   const Object<Whole>& passes, const Object<Whole>& loops, const Object<Whole>& axes, std::int64_t result,
                   const std::vector<std::size_t>& numbers, const Object<Whole>& incoming, const Object<Whole>& outgoing,
                   const Object<Whole>& message_marginals, const Object<Whole>& table_marginals, const Object<Whole>& parts,
                   bool factored, std::int64_t ids)
        : ids_(natural(ids, "ids")) {
        const WholeRows given(operands, "operands", 3), picked(picks, "picks", 5), steps(passes, "passes", 3);
        for (std::size_t k = 0; k < given.size(); ++k) {
            if (given.at(k, 0) > 4) throw std::invalid_argument("operands: expected a source from 0 to 4");
            program.operands.push_back({static_cast<SliceSource>(given.at(k, 0)), given.at(k, 1), given.at(k, 2), {}});
        }
        for (std::size_t k = 0; k < picked.size(); ++k) {
            if (picked.at(k, 0) >= given.size()) throw std::invalid_argument("picks: there is no such operand");
            program.operands[picked.at(k, 0)].picks.push_back(
                {picked.at(k, 1), picked.at(k, 2), picked.at(k, 3), picked.at(k, 4)});
        }
        program.tables = copied_tables(tables);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            program.passes.push_back({steps.at(k, 0), steps.at(k, 1), steps.at(k, 2), {}, {}, {}, {}, {}});
        }
        add_loops(WholeRows(loops, "loops", 6), program.passes);
        const WholeRows sides(axes, "axes", 6);
        for (std::size_t k = 0; k < sides.size(); ++k) {
            of_pass(program.passes, sides.at(k, 0))
                .axes.push_back({sides.at(k, 1), sides.at(k, 2), sides.at(k, 3), sides.at(k, 4), sides.at(k, 5)});
        }
        program.result = natural(result, "result");
        program.numbers = numbers;
        program.incoming = axes_of(WholeRows(incoming, "incoming", 2));
        program.outgoing = axes_of(WholeRows(outgoing, "outgoing", 2));
        const WholeRows of_message(message_marginals, "message_marginals", 4), of_tables(table_marginals, "table_marginals", 5);
        for (std::size_t k = 0; k < of_message.size(); ++k) {
            program.message_marginals.push_back(
                {of_message.at(k, 0), 0, of_message.at(k, 1), of_message.at(k, 2), of_message.at(k, 3)});
        }
        for (std::size_t k = 0; k < of_tables.size(); ++k) {
            program.table_marginals.push_back(
                {of_tables.at(k, 0), of_tables.at(k, 1), of_tables.at(k, 2), of_tables.at(k, 3), of_tables.at(k, 4)});
        }
        const WholeRows sent(parts, "parts", 4);
        for (std::size_t k = 0; k < sent.size(); ++k) {
            program.parts.push_back({0, sent.at(k, 0), sent.at(k, 1), sent.at(k, 2), sent.at(k, 3)});
        }
        program.factored = factored;
        program.finish(ids_);
    }

    PySliceProgram with_tables(const List<Array<double>>& tables) const {
        PySliceProgram other = *this;
        other.program.tables = copied_tables(tables);
        if (other.program.tables.size() != program.tables.size()) throw std::invalid_argument("expected as many tables");
        other.program.finish(ids_);
        return other;
    }

    SliceProgram program;

  private:
    std::size_t ids_;
};

using Sequences = List<PySliceProgram>;

// The programs and the rows of a call; holds the arrays while the kernels read them.
class SliceCall {
  public:
    SliceCall(const Sequences& list, const Object<Whole>& starts, const Object<Array<std::uint32_t>>& codes,
              const List<Array<double>>& likelihoods, const Object<Array<std::uint32_t>>& row_programs,
              const std::vector<std::int64_t>& belief_states) {
        for (std::size_t at = 0; at < list.size(); ++at) {
            if (!nb::isinstance<PySliceProgram>(list[at])) throw std::invalid_argument("programs: expected slice programs");
            programs.push_back(&nb::cast<const PySliceProgram&>(list[at]).program);
        }
        starts_ = array_from<Vector<std::int64_t>>(starts, "starts", "a contiguous one-dimensional int64 array");
        codes_ = array_from<Matrix<std::uint32_t>>(codes, "codes", "a contiguous two-dimensional uint32 array");
        row_programs_ = array_from<Vector<std::uint32_t>>(row_programs, "row_programs", "a contiguous uint32 array");
        if (starts_.shape(0) == 0) throw std::invalid_argument("starts is empty");
        rows.rows = codes_.shape(1);
        rows.variables = codes_.shape(0);
        rows.sequences = starts_.shape(0) - 1;
        rows.codes = codes_.data();
        rows.starts = starts_.data();
        rows.programs = row_programs_.data();
        if (row_programs_.shape(0) != rows.rows) throw std::invalid_argument("row_programs: expected one for each row");
        for (std::size_t at = 0; at < likelihoods.size(); ++at) {
            held_.push_back(array_from<Matrix<double>>(likelihoods[at], "likelihoods", "contiguous two-dimensional float64 arrays"));
            if (held_.back().shape(0) != rows.rows) throw std::invalid_argument("likelihoods: expected a line for each row");
            rows.likelihoods.push_back(held_.back().data());
            rows.likelihood_states.push_back(held_.back().shape(1));
        }
        for (const std::int64_t states : belief_states) {
            results.belief_states.push_back(natural(states, "belief_states"));
            beliefs_.emplace_back(std::vector<std::size_t>{rows.rows, results.belief_states.back()});
            results.beliefs.push_back(beliefs_.back().data());
        }
    }

    void weigh(const Object<Array<double>>& weights) {
        if (weights.is_none()) return;
        weights_ = array_from<Vector<double>>(weights, "weights", "a contiguous one-dimensional float64 array");
        if (weights_.shape(0) != rows.sequences) throw std::invalid_argument("weights: expected one for each sequence");
        rows.weights = weights_.data();
    }

    nb::list beliefs() {
        nb::list found;
        for (Output<double>& one : beliefs_) found.append(one.release());
        return found;
    }

    std::vector<const SliceProgram*> programs;
    SliceRows rows;
    SliceResults results;

  private:
    Vector<std::int64_t> starts_;
    Matrix<std::uint32_t> codes_;
    Vector<std::uint32_t> row_programs_;
    Vector<double> weights_;
    std::vector<Matrix<double>> held_;
    std::vector<Output<double>> beliefs_;
};

Tuple<Array<double>, Array<double>, List<Array<double>>> filter_slices_py(
    const Sequences& programs, const Object<Whole>& starts, const Object<Array<std::uint32_t>>& codes,
    const List<Array<double>>& likelihoods, const Object<Array<std::uint32_t>>& row_programs,
    const std::vector<std::int64_t>& belief_states, int threads) {
    SliceCall call(programs, starts, codes, likelihoods, row_programs, belief_states);
    Output<double> logs({call.rows.sequences}), steps({call.rows.rows});
    call.results.logs = logs.data();
    call.results.step_logs = steps.data();
    {
        const Unlocked unlocked;
        check_slices(call.programs, call.rows, call.results);
        filter_slices(call.programs, call.rows, call.results, threads);
    }
    return nb::make_tuple(logs.release(), steps.release(), call.beliefs());
}

Tuple<Array<double>, List<Array<double>>, List<List<Array<double>>>> smooth_slices_py(
    const Sequences& programs, const Object<Whole>& starts, const Object<Array<std::uint32_t>>& codes,
    const List<Array<double>>& likelihoods, const Object<Array<std::uint32_t>>& row_programs,
    const std::vector<std::int64_t>& belief_states, const Object<Array<double>>& weights, bool counts,
    std::int64_t kept_entries, int threads) {
    SliceCall call(programs, starts, codes, likelihoods, row_programs, belief_states);
    call.weigh(weights);
    Output<double> logs({call.rows.sequences});
    call.results.logs = logs.data();
    std::vector<std::vector<std::vector<double>>> expected;
    if (counts) call.results.counts = &expected;
    {
        const Unlocked unlocked;
        check_slices(call.programs, call.rows, call.results);
        smooth_slices(call.programs, call.rows, call.results, natural(kept_entries, "kept_entries"), threads);
    }
    nb::list all;
    for (const auto& program : expected) {
        nb::list tables;
        for (const auto& table : program) {
            Output<double> out({table.size()});
            std::copy(table.begin(), table.end(), out.data());
            tables.append(out.release());
        }
        all.append(tables);
    }
    return nb::make_tuple(logs.release(), call.beliefs(), all);
}

Tuple<Array<double>, Array<std::uint32_t>> best_slices_py(
    const Sequences& programs, const Object<Whole>& starts, const Object<Array<std::uint32_t>>& codes,
    const List<Array<double>>& likelihoods, const Object<Array<std::uint32_t>>& row_programs, std::int64_t kept_entries,
    int threads) {
    SliceCall call(programs, starts, codes, likelihoods, row_programs, {});
    Output<double> logs({call.rows.sequences});
    Output<std::uint32_t> paths({call.rows.variables, call.rows.rows});
    std::copy_n(call.rows.codes, call.rows.variables * call.rows.rows, paths.data());
    call.results.logs = logs.data();
    call.results.paths = paths.data();
    {
        const Unlocked unlocked;
        check_slices(call.programs, call.rows, call.results);
        best_slices(call.programs, call.rows, call.results, natural(kept_entries, "kept_entries"), threads);
    }
    return nb::make_tuple(logs.release(), paths.release());
}

}  // namespace

void register_slices(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PySliceProgram>(m, "SliceProgram")
        .def(nb::init<const Object<Whole>&, const Object<Whole>&, const List<Array<double>>&, const Object<Whole>&,
                      const Object<Whole>&, const Object<Whole>&, std::int64_t, const std::vector<std::size_t>&,
                      const Object<Whole>&, const Object<Whole>&, const Object<Whole>&, const Object<Whole>&,
                      const Object<Whole>&, bool, std::int64_t>(),
             "operands"_a, "picks"_a, "tables"_a, "passes"_a, "loops"_a, "axes"_a, "result"_a, "numbers"_a, "incoming"_a,
             "outgoing"_a, "message_marginals"_a, "table_marginals"_a, "parts"_a, "factored"_a, "ids"_a,
             "One slice of a dynamic network: passes from the incoming message to the outgoing one.")
        .def("with_tables", &PySliceProgram::with_tables, "tables"_a, "The same program with other tables.");
    m.def("filter_slices", &filter_slices_py, "programs"_a, "starts"_a, "codes"_a, "likelihoods"_a, "row_programs"_a,
          "belief_states"_a, "threads"_a = 0,
          "(log P of each sequence, log P of each row given those before, beliefs of each wanted variable).");
    m.def("smooth_slices", &smooth_slices_py, "programs"_a, "starts"_a, "codes"_a, "likelihoods"_a, "row_programs"_a,
          "belief_states"_a, "weights"_a.none(), "counts"_a, "kept_entries"_a, "threads"_a = 0,
          "(log P of each sequence, beliefs given all rows, expected counts of the tables of each program).");
    m.def("best_slices", &best_slices_py, "programs"_a, "starts"_a, "codes"_a, "likelihoods"_a, "row_programs"_a,
          "kept_entries"_a, "threads"_a = 0, "(log P of each best path, its codes [variable, row]).");
}

}  // namespace bayou::bindings
