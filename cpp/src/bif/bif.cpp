#include "bayou/bif/bif.hpp"

#include <algorithm>
#include <unordered_map>

#include "bayou/bif/bif_scanner.hpp"
#include "bif_table.hpp"

namespace bayou::bif {

namespace {

using Index = std::unordered_map<std::string_view, std::size_t>;

// Reads the blocks in order. A probability block whose variables are not all declared yet is
// skipped and read again at the end.
class Parser {
   public:
    explicit Parser(std::string_view text) : scan_(text, network_.unescaped) {}

    Network run() {
        header();
        while (scan_.peek() != Scanner::kEnd) block();
        for (const std::size_t where : postponed_) {
            scan_.jump(where);
            probability(true);
        }
        check_every_variable_has_a_table();
        check_no_cycle();
        return std::move(network_);
    }

   private:
    void header() {
        scan_.expect_keyword("network");
        if (scan_.at_name()) network_.name = scan_.name("the network's name").text;
        scan_.expect('{', "after the network's name");
        while (!scan_.accept('}')) {
            scan_.expect_keyword("property");
            network_.properties.push_back(scan_.property_text());
        }
    }

    void block() {
        const Named keyword = scan_.name("'variable' or 'probability'");
        if (keyword.text == "variable") return variable();
        if (keyword.text == "probability") return probability(false);
        scan_.jump(keyword.where);
        if (keyword.text == "network") scan_.fail(keyword.where, "a second 'network' block; a file holds one network");
        scan_.fail_expected("'variable' or 'probability'");
    }

    void variable() {
        const Named named = scan_.name("the variable's name");
        if (!index_.emplace(named.text, network_.variables.size()).second) {
            scan_.fail(named.where, "the variable " + quoted(named.text) + " is declared twice");
        }
        Variable& added = network_.variables.emplace_back();
        added.name = named.text;
        places_.push_back({named.where, kNowhere});
        codes_.emplace_back();
        scan_.expect('{', "after the variable's name");
        while (!scan_.accept('}')) {
            const Named keyword = scan_.name("'type', 'property' or '}'");
            if (keyword.text == "property") {
                added.properties.push_back(scan_.property_text());
            } else if (keyword.text == "type" && added.states.empty()) {
                type(added);
            } else {
                scan_.jump(keyword.where);
                scan_.fail_expected(added.states.empty() ? "'type', 'property' or '}'" : "'property' or '}'");
            }
        }
        if (added.states.empty()) {
            scan_.fail(named.where, "the variable " + quoted(named.text) + " has no 'type discrete [ ... ] { ... };'");
        }
    }

    void type(Variable& added) {
        const Named kind = scan_.name("'discrete'");
        if (kind.text != "discrete") {
            scan_.jump(kind.where);
            scan_.fail_expected("'discrete' (BIF holds no other type)");
        }
        scan_.expect('[', "before the number of states");
        const std::size_t count_where = scan_.where();
        const double count = scan_.number();
        scan_.expect(']', "after the number of states");
        const std::size_t list_where = scan_.where();
        scan_.expect('{', "before the list of states");
        while (!scan_.accept('}')) {
            const Named state = scan_.name("a state's name or '}'");
            if (!codes_.back().emplace(state.text, added.states.size()).second) {
                scan_.fail(state.where, quoted(added.name) + " has the state " + quoted(state.text) + " twice");
            }
            added.states.push_back(state.text);
            scan_.accept(',');
        }
        scan_.expect(';', "after the list of states");
        if (added.states.empty()) scan_.fail(list_where, quoted(added.name) + " has no states; expected at least one");
        if (count != static_cast<double>(added.states.size())) {
            scan_.fail(count_where, "the number in brackets is not the number of states listed for " +
                                        quoted(added.name) + ", which is " + std::to_string(added.states.size()) +
                                        " (names with blanks or commas need double quotes)");
        }
    }

    // The child first, then its parents.
    std::vector<Named> family() {
        scan_.expect('(', "after 'probability'");
        std::vector<Named> names{scan_.name("the variable's name")};
        if (!scan_.accept('|')) scan_.accept(',');
        while (!scan_.accept(')')) {
            names.push_back(scan_.name("a parent's name or ')'"));
            if (!scan_.accept(',')) scan_.accept('|');
        }
        return names;
    }

    void probability(bool all_declared) {
        const std::size_t start = scan_.where();
        const std::vector<Named> names = family();
        std::vector<std::size_t> members;
        for (const Named& named : names) {
            const auto found = index_.find(named.text);
            if (found != index_.end()) {
                members.push_back(found->second);
            } else if (all_declared) {
                throw unknown_variable(named);
            } else {
                postponed_.push_back(start);
                return scan_.skip_block();
            }
        }
        check_family(names, members);
        places_[members[0]].table = start;
        network_.variables[members[0]].parents.assign(members.begin() + 1, members.end());
        TableReader(scan_, network_.variables, codes_, members[0], start, cells_).run();
    }

    Error unknown_variable(const Named& named) {
        Error error = scan_.error_at(named.where, "there is no variable " + quoted(named.text));
        error.fault = Fault::unknown_variable;
        error.wanted = named.text;
        for (const Variable& variable : network_.variables) error.known.emplace_back(variable.name);
        return error;
    }

    void check_family(const std::vector<Named>& names, const std::vector<std::size_t>& members) {
        const std::string child = quoted(names[0].text);
        if (places_[members[0]].table != kNowhere) {
            scan_.fail(names[0].where, child + " has a second probability block");
        }
        seen_in_family_.resize(network_.variables.size(), kNowhere);
        for (std::size_t i = 0; i < members.size(); ++i) {
            std::size_t& seen = seen_in_family_[members[i]];
            if (i > 0 && members[i] == members[0]) scan_.fail(names[i].where, child + " is its own parent");
            if (seen == members[0]) {
                scan_.fail(names[i].where, quoted(names[i].text) + " is a parent of " + child + " twice");
            }
            seen = members[0];
        }
    }

    void check_every_variable_has_a_table() {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i].table != kNowhere) continue;
            const std::string name(network_.variables[i].name);
            scan_.fail(places_[i].name,
                       "the variable " + quoted(name) + " has no block 'probability ( " + name + " ... )'");
        }
    }

    // Removes variables without parents until there are none; the remaining ones contain a cycle.
    void check_no_cycle() {
        const auto& variables = network_.variables;
        std::vector<std::vector<std::size_t>> children(variables.size());
        std::vector<std::size_t> waiting(variables.size());
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            waiting[i] = variables[i].parents.size();
            for (const std::size_t parent : variables[i].parents) children[parent].push_back(i);
            if (waiting[i] == 0) free.push_back(i);
        }
        for (std::size_t done = 0; done < free.size(); ++done) {
            for (const std::size_t child : children[free[done]]) {
                if (--waiting[child] == 0) free.push_back(child);
            }
        }
        const auto stuck = std::find_if(waiting.begin(), waiting.end(), [](std::size_t n) { return n > 0; });
        if (stuck != waiting.end()) fail_with_cycle(static_cast<std::size_t>(stuck - waiting.begin()), waiting);
    }

    // Every remaining variable has a remaining parent, so walking to parents returns to a visited variable.
    [[noreturn]] void fail_with_cycle(std::size_t at, const std::vector<std::size_t>& waiting) {
        std::vector<std::size_t> walk;
        std::vector<std::size_t> step(waiting.size(), kNowhere);
        while (step[at] == kNowhere) {
            step[at] = walk.size();
            walk.push_back(at);
            const auto& parents = network_.variables[at].parents;
            at = *std::find_if(parents.begin(), parents.end(), [&](std::size_t p) { return waiting[p] > 0; });
        }
        std::string shown = quoted(network_.variables[at].name);
        for (std::size_t i = walk.size(); i-- > step[at];) shown += " -> " + quoted(network_.variables[walk[i]].name);
        scan_.fail(places_[at].table, "the arcs make a cycle: " + shown);
    }

    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
    struct Places {
        std::size_t name;
        std::size_t table;
    };

    Network network_;
    Scanner scan_;
    Index index_;
    std::vector<Index> codes_;
    std::vector<Places> places_;
    std::vector<std::size_t> postponed_;
    std::vector<std::size_t> seen_in_family_;
    std::size_t cells_ = 0;
};

}  // namespace

Network parse(std::string_view text) { return Parser(text).run(); }

}  // namespace bayou::bif
