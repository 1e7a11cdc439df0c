#include "sotto/privacy/ledger/record.h"

#include <nlohmann/json.hpp>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/whole_number.h"
#include "sotto/random/bit_source.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

template <class Read>
auto parse(const std::string& text, const char* what, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::exception&) {
  } catch (const Error&) {
  }
  throw Error(ErrorKind::invalid_data, std::string("the ledger's record of its ") + what + " cannot be read");
}

Json filter_json(const Filter::State& filter) {
  // Numbers in their shortest spelling, which is also what exact sums take them for.
  return Json{{"filter", enum_name(filter.kind)},
              {"rdp_order", number_text(filter.rdp_order)},
              {"epsilon", number_text(filter.budget.epsilon)},
              {"delta", number_text(filter.budget.delta)},
              {"relation", enum_name(filter.budget.relation)},
              {"limit_loss", filter.limit.loss},
              {"limit_delta", filter.limit.delta}};
}

Filter::State filter_from(const Json& json) {
  const auto number = [&](const char* key) { return parse_number(json.at(key).get<std::string>(), key); };
  Filter::State filter;
  filter.kind = enum_by_name<FilterKind>(json.at("filter").get<std::string>(), "filter");
  filter.rdp_order = number("rdp_order");
  filter.budget = {number("epsilon"), number("delta"),
                   enum_by_name<Relation>(json.at("relation").get<std::string>(), "relation")};
  filter.limit = {whole_number<std::uint64_t>(json.at("limit_loss")),
                  whole_number<std::uint64_t>(json.at("limit_delta"))};
  return filter;
}

}  // namespace

Digest random_digest() {
  BitSource bits;
  Sha256 hash;
  for (int i = 0; i < 4; ++i) hash.add_number(bits.next());
  return hash.finish();
}

Digest hash_of(const LedgerRecord& record) {
  Sha256 hash;
  hash.add_text("sotto ledger record 2");
  hash.add_text(hex_of(record.previous));
  hash.add_number(record.sequence);
  hash.add_text(enum_name(record.kind));
  hash.add_number(record.entry);
  hash.add_number(static_cast<std::uint64_t>(record.time));
  for (const std::uint64_t amount : {record.cost.loss, record.cost.delta, record.spent.loss, record.spent.delta}) {
    hash.add_number(amount);
  }
  hash.add_text(record.request);
  hash.add_text(record.detail);
  hash.add_text(record.token);
  if (!record.analyst.empty()) hash.add_text(record.analyst);  // older records have none
  return hash.finish();
}

std::string text_of(const LedgerTerms& terms) {
  Json json{{"id", terms.id}};
  json.update(filter_json(terms.filter));
  json.update(Json{{"delta_policy", enum_name(terms.delta_policy())},
                   {"unit", terms.unit},
                   {"data_tag", terms.data_tag},
                   {"key_check", terms.key_check},
                   {"public_key", terms.public_key},
                   {"rows", terms.rows},
                   {"reading", terms.reading},
                   {"columns", terms.columns},
                   {"analyst_share", terms.analyst_share},
                   {"blind", terms.blind}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a name may be no UTF-8
}

LedgerTerms terms_from(const std::string& text) {
  return parse(text, "terms", [](const Json& json) {
    LedgerTerms terms;
    terms.id = json.at("id").get<std::string>();
    terms.filter = filter_from(json);
    terms.unit = json.at("unit").get<std::string>();
    terms.data_tag = json.at("data_tag").get<std::string>();
    terms.key_check = json.at("key_check").get<std::string>();
    terms.public_key = json.value("public_key", "");  // it follows from the key, so older ledgers have one too
    terms.rows = whole_number<std::uint64_t>(json.at("rows"));
    // Ledgers of old have none: they take no text, which is the safe side.
    terms.reading = json.value("reading", "");
    terms.columns = json.value("columns", std::vector<std::string>{});
    if (json.contains("analyst_share")) terms.analyst_share = whole_number<std::uint32_t>(json.at("analyst_share"));
    // Holders of ledgers older than the check were promised that no message has a count of rows. Blind is the safe side too.
    terms.blind = json.value("blind", true);
    return terms;
  });
}

std::string text_of(const LedgerPlace& place) {
  Json json{{"ledger", place.path}, {"anchor", place.anchor}, {"inode", place.inode}};
  if (place.bound) {
    json["fingerprint"] = place.bound->fingerprint;
    json["rows"] = place.bound->rows;
    json["key"] = place.bound->key;
  }
  return json.dump();
}

std::string text_of(const ChangedTerms& changed) {
  Json json = filter_json(changed.filter);
  json["analyst_share"] = changed.analyst_share;
  return json.dump();
}

ChangedTerms changed_terms_from(const std::string& text) {
  return parse(text, "changed terms", [](const Json& json) {
    return ChangedTerms{filter_from(json), whole_number<std::uint32_t>(json.at("analyst_share"))};
  });
}

LedgerPlace place_from(const std::string& text) {
  return parse(text, "place", [](const Json& json) {
    LedgerPlace place{json.at("ledger").get<std::string>(), json.at("anchor").get<std::string>(),
                      whole_number<std::uint64_t>(json.at("inode"))};
    if (json.contains("fingerprint")) {
      place.bound = {json.at("fingerprint").get<std::string>(), whole_number<std::uint64_t>(json.at("rows")),
                     json.at("key").get<std::string>()};
    }
    return place;
  });
}

}  // namespace sotto
