// Signatures of model files: one byte changed anywhere is found out, by the public key alone.
#include "ledger_testing.h"
#include "sotto/methods/method.h"
#include "sotto/model/json.h"
#include "sotto/model/signature.h"

namespace sotto::test {
namespace {

class SignedModel : public LedgerTest {
 protected:
  SignedModel() {
    create();
    ledger_.emplace(path_);
    const PlanInput input{{10000, 5, 1.0, false}, {Logistic{}, 0.01}, {.epsilon = 1}};
    model_.weights = {0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0};
    model_.encoding = R"({"columns":[{"name":"x1","range":[0,1]}]})";
    model_.card = make_card(make_plan(BoltOn{}, input));
    model_.card.budget.enforced = true;
    model_.card.budget.ledger = ledger_->terms().id;
    sign_model(model_, *ledger_);
    key_ = ledger_->public_key();
  }
  bool verified(const std::string& text) const { return signature_problem(text, key_).empty(); }

  std::optional<SqliteLedger> ledger_;
  PublicKey key_;
  Model model_;
};

TEST(Signing, IsEd25519UnderAKeyThatFollowsFromTheLedgers) {
  // Computed with hmac and hashlib of Python and the openssl command.
  const SigningKey key(sha256("some data"));
  EXPECT_EQ(hex_of(key.public_key()), "3962e48214b9b1b35ec795ab2e669ca9a2ad6c6d00992b384f071c60d746b71e");
  EXPECT_EQ(pem_of(key.public_key()),
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAOWLkghS5sbNex5WrLmacqaKtbG0AmSs4TwccYNdGtx4=\n-----END PUBLIC "
            "KEY-----\n");
  EXPECT_EQ(
      key.sign("a text"),
      "7953d5824cf59c2ce0fa1e436d3fa5a70c4fabce3265426a0e9967f2a20f14ff0d646836219f88fae5a03485aa78a2bad5a2c744b46ee"
      "cf123aa7909b4a53500");
  EXPECT_TRUE(is_signed(key.public_key(), "a text", key.sign("a text")));
  EXPECT_FALSE(is_signed(key.public_key(), "a Text", key.sign("a text")));
  EXPECT_FALSE(is_signed(SigningKey(sha256("other")).public_key(), "a text", key.sign("a text")));
  EXPECT_FALSE(is_signed(key.public_key(), "a text", ""));
}

TEST(Signing, ReadsAKeyInBothSpellingsAndNothingElse) {
  const PublicKey key = SigningKey(sha256("some data")).public_key();
  EXPECT_EQ(public_key_from(pem_of(key)), key);
  EXPECT_EQ(public_key_from(hex_of(key) + "\n"), key);
  const std::string rsa_like = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n";
  const std::string secret =
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
      "KEY-----\n";
  for (const std::string& bad : {std::string(), std::string("key"), hex_of(key).substr(1), rsa_like, secret}) {
    EXPECT_THROW(public_key_from(bad), Error) << bad;
  }
}

TEST_F(SignedModel, IsVerifiedByTheKeyOfItsLedgerAlone) {
  EXPECT_TRUE(verified(model_.signed_text));
  EXPECT_EQ(signing_key_of(model_.signed_text), ledger_->public_key());
  EXPECT_EQ(model_.card.budget.signed_by, hex_of(ledger_->public_key()));
  EXPECT_EQ(ledger_->terms().public_key, hex_of(ledger_->public_key())) << "part of the chain";
  EXPECT_NE(signature_problem(model_.signed_text, SigningKey(sha256("other")).public_key()).find("another key"),
            std::string::npos);
  EXPECT_EQ(SqliteLedger(path_).public_key(), ledger_->public_key());
}

TEST_F(SignedModel, EveryChangedByteIsFoundOut) {
  const std::string& text = model_.signed_text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int bit : {0, 5, 7}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      ASSERT_FALSE(verified(changed)) << "byte " << i;
    }
  }
}

TEST_F(SignedModel, EveryByteThatIsAddedOrTakenAwayIsFoundOut) {
  const std::string& text = model_.signed_text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    ASSERT_FALSE(verified(text.substr(0, i) + " " + text.substr(i))) << "before byte " << i;
    ASSERT_FALSE(verified(text.substr(0, i) + text.substr(i + 1))) << "byte " << i;
  }
  for (const char* end : {"\n", " ", "x", "{}"}) EXPECT_FALSE(verified(text + end));
  EXPECT_FALSE(verified(""));
}

TEST_F(SignedModel, TheSameContentInOtherWordsIsNotWhatWasSigned) {
  Json json = Json::parse(model_.signed_text);
  EXPECT_EQ(json.dump(2) + "\n", model_.signed_text) << "one spelling";
  EXPECT_FALSE(verified(json.dump(2)));
  EXPECT_FALSE(verified(json.dump(4) + "\n"));
  EXPECT_FALSE(verified(nlohmann::json::parse(model_.signed_text).dump(2) + "\n")) << "other order of keys";
  json["more"] = 1;
  EXPECT_FALSE(verified(json.dump(2) + "\n"));
  Json upper = Json::parse(model_.signed_text);
  std::string value = upper["signature"]["value"];
  for (char& digit : value) digit = static_cast<char>(std::toupper(digit));
  upper["signature"]["value"] = value;
  EXPECT_FALSE(verified(upper.dump(2) + "\n"));
}

TEST_F(SignedModel, IsRefusedByEveryReaderOnceItWasEdited) {
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = model_.signed_text;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_EQ(refused([&] { model_from_text(edited("\"epsilon\": 1.0", "\"epsilon\": 1.5"), "m"); }),
            ErrorKind::invalid_data);
  EXPECT_NE(message_.find("was edited after a ledger signed it"), std::string::npos) << message_;
  Json json = Json::parse(model_.signed_text);
  json.erase("signature");
  EXPECT_EQ(refused([&] { model_from_text(json.dump(2) + "\n", "m"); }), ErrorKind::invalid_data);
  json = Json::parse(model_.signed_text);
  json["card"]["budget"]["signed_by"] = nullptr;
  EXPECT_EQ(refused([&] { model_from_text(json.dump(2) + "\n", "m"); }), ErrorKind::invalid_data);
}

TEST_F(SignedModel, KeepsItsBytesThroughLoadingAndSaving) {
  const Model back = model_from_text(model_.signed_text, "m");
  EXPECT_EQ(model_text(back), model_.signed_text);
  const std::string path = folder_ + "/m.json";
  save_model(back, path);
  EXPECT_EQ(bytes_of_file(path), model_.signed_text);
  EXPECT_EQ(model_text(load_model(path)), model_.signed_text);
}

TEST_F(SignedModel, IsNotSignedAnyMoreOnceItWasChanged) {
  Model changed = model_from_text(model_.signed_text, "m");
  changed.weights[0] = 0.2;
  const std::string text = model_text(changed);
  EXPECT_FALSE(signing_key_of(text));
  const Model back = model_from_text(text, "m");
  EXPECT_EQ(back.weights[0], 0.2);
  EXPECT_TRUE(back.card.budget.signed_by.empty());
}

TEST_F(SignedModel, SaysOnItsCardThatItIsSignedOrThatNothingIs) {
  EXPECT_NE(card_text(model_.card).find("signed          by the ledger's key"), std::string::npos);
  model_.card.budget = {};
  EXPECT_NE(card_text(model_.card).find("signed          no: without a ledger"), std::string::npos);
  EXPECT_TRUE(Json::parse(card_json(model_.card)).at("budget").at("signed_by").is_null());
}

TEST_F(SignedModel, AnExchangedPublicKeyIsFoundOutAndLedgersOfOldHaveOneToo) {
  LedgerTerms old = ledger_->terms();
  Json text = Json::parse(text_of(old));
  text.erase("public_key");
  EXPECT_TRUE(terms_from(text.dump()).public_key.empty());
  text["public_key"] = "00";
  EXPECT_EQ(terms_from(text.dump()).public_key, "00");
  EXPECT_EQ(bytes_of_file(path_).find(hex_of(SigningKey(sha256("x")).public_key())), std::string::npos);
  EXPECT_NE(bytes_of_file(path_).find(old.public_key), std::string::npos);
}

}  // namespace
}  // namespace sotto::test
