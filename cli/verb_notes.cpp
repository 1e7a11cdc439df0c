#include "verb_notes.h"

#include <algorithm>

namespace sotto::cli {
namespace {

const std::vector<VerbNote>& notes() {
  static const std::vector<VerbNote> all = {
      {"",
       {},
       "sotto data schema people.csv --label income --out schema.json\n"
       "sotto data schema people.csv --schema schema.json --confirm --out schema.json\n"
       "sotto train --data people.csv --schema schema.json --epsilon 1 --out model.json"},
      {"data", {}, "sotto data schema people.csv --label income --out schema.json"},
      {"data pack",
       {"--data", "--out", "--schema", "--label", "--data-norm", "--memory-mb"},
       "sotto data pack --data people.csv --schema schema.json --out people.sotto"},
      {"data info",
       {"--data", "--schema", "--label", "--range-all"},
       "sotto data info --data people.csv --label income"},
      {"data schema",
       {"--out", "--label", "--schema", "--confirm", "--classes", "--private", "--epsilon", "--ledger"},
       "sotto data schema people.csv --label income --out schema.json\n"
       "sotto data schema people.csv --schema schema.json --confirm --out schema.json"},
      {"data bounds",
       {"--data", "--out", "--label", "--epsilon", "--delta", "--ledger", "--text"},
       "sotto data bounds --data people.csv --label income --epsilon 0.1 --out schema.json"},
      {"data get", {}, "sotto data get mnist"},
      {"data synth", {}, "sotto data synth people --out people.csv"},
      {"data synth people", {}, "sotto data synth people --rows 20000 --out people.csv"},
      {"data synth sphere", {}, "sotto data synth sphere --rows 10000 --features 20 --out rows.csv"},
      {"data synth large", {}, "sotto data synth large --rows 1000000 --features 50 --out rows.sotto"},
      {"plan",
       {"--rows", "--features", "--epsilon", "--delta", "--ledger", "--method", "--loss", "--lambda", "--data-norm"},
       "sotto plan --rows 30000 --features 100 --epsilon 1"},
      {"train",
       {"--data", "--label", "--schema", "--epsilon", "--delta", "--ledger", "--out", "--method", "--lambda"},
       "sotto train --data people.csv --schema schema.json --epsilon 1 --out model.json"},
      {"tune",
       {"--data", "--label", "--schema", "--epsilon", "--delta", "--ledger", "--out", "--method", "--grid"},
       "sotto tune --data people.csv --schema schema.json --method objective --grid lambda=0.001,0.01 \\\n"
       "  --epsilon 1 --out model.json"},
      {"predict", {}, "sotto predict --model model.json --data new.csv --out predictions.csv"},
      {"evaluate", {}, "sotto evaluate --model model.json --data held_out.csv"},
      {"ledger",
       {},
       "sotto ledger create people.ledger --data people.csv --budget-epsilon 2\n"
       "sotto train --ledger people.ledger --data people.csv --schema schema.json --epsilon 1\n"
       "sotto ledger show people.ledger"},
      {"ledger create",
       {"--data", "--budget-epsilon", "--budget-delta", "--filter", "--anchor", "--label"},
       "sotto ledger create people.ledger --data people.csv --budget-epsilon 2"},
      {"ledger show", {}, "sotto ledger show people.ledger"},
      {"ledger log", {}, "sotto ledger log people.ledger"},
      {"ledger lower", {}, "sotto ledger lower people.ledger --budget-epsilon 1"},
      {"ledger verify", {}, "sotto ledger verify people.ledger --model model.json"},
      {"ledger key", {}, "sotto ledger key people.ledger --out key.pem"},
      {"ledger export", {}, "sotto ledger export people.ledger --out records.jsonl"},
      {"ledger move", {}, "sotto ledger move /new/place/people.ledger"},
      {"verify", {}, "sotto verify model.json --key key.pem"},
      {"account", {}, "sotto account --noise 2 --steps 100 --rate 0.01 --delta 1e-6"},
      {"calibrate", {}, "sotto calibrate --solve-for noise --epsilon 1 --delta 1e-6 --steps 100 --rate 0.01"},
      {"audit",
       {"--all", "--method", "--quick", "--museum", "--check", "--epsilon", "--delta", "--data", "--rows", "--svg"},
       "sotto audit --method bolt_on --epsilon 1 --quick"},
      {"report", {}, "sotto report --model model.json --out page.html"},
      {"explain", {}, "sotto explain\nsotto explain dpgd\nsotto explain --model model.json"},
      {"man", {}, "sotto man train | man -l -"},
      {"completion", {}, "source <(sotto completion bash)"},
  };
  return all;
}

}  // namespace

const VerbNote* note_of(std::string_view verb) {
  const auto found = std::ranges::find(notes(), verb, &VerbNote::verb);
  return found == notes().end() ? nullptr : &*found;
}

}  // namespace sotto::cli
