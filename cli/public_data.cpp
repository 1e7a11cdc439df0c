#include "public_data.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto::cli {
namespace {

constexpr PublicFile kFiles[] = {
    {"a9a", "a9a/a9a.gz", "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a",
     "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906"},
    {"a9a", "a9a/a9a.t.gz", "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a.t",
     "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"},
    {"adult", "adult/adult.data.gz", "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
     "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"},
    {"adult", "adult/adult.test.gz", "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.test",
     "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"},
    {"bank-marketing", "bank-marketing/BANK.dat.gz",
     "https://raw.githubusercontent.com/ppmlguy/DP-AGD/025dde9e97497c2cd7d6670a25527ccd7f49f35c/dataset/BANK.dat",
     "fe536a257d242b1fb78dd0e753d2c50176ef12a5dd23dfb86402f62127a3b96e"},
    {"banknote", "banknote/data_banknote_authentication.txt.gz",
     "https://archive.ics.uci.edu/ml/machine-learning-databases/00267/data_banknote_authentication.txt",
     "d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9"},
    {"covertype-subset", "covertype-subset/covertype_subset_92962.csv.gz",
     "https://raw.githubusercontent.com/ramp-kits/covertype/af435f432b221d5c205209d9331ca3b540a6a3a1/data/test.csv.gz",
     "c5bc67198139ba193c3e3075052cc12c17e3f91839e37724bc4475b3915bc383"},
    {"higgs-subset", "higgs-subset/higgs_10984.csv.gz",
     "https://raw.githubusercontent.com/sassoftware/sas-viya-workbench-examples/"
     "6a96e990172cd4c60572ba033633a9605b6b751a/data/higgs.csv",
     "21f8b95e4aaed9e631a76d69c724bb0ca94456bc1ac01e18fd81b968dd3c9724"},
    {"internet-ads", "internet-ads/ad.data.gz",
     "https://archive.ics.uci.edu/ml/machine-learning-databases/internet_ads/ad.data",
     "4841bab145e0b2df2bc17893ecd9d62f8fbeac2c389b41ca59d77da682c0c4eb"},
    {"kddcup99", "kddcup99/kddcup.data_10_percent.gz", "https://ndownloader.figshare.com/files/5976042",
     "f8c8267ebcd9c0ed1fd7d6277fe5bfff8732e9b7db8e61b873542b2a534b6f9a"},
    {"mnist", "mnist/train-images-idx3-ubyte.gz",
     "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz",
     "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"mnist", "mnist/train-labels-idx1-ubyte.gz",
     "https://ossci-datasets.s3.amazonaws.com/mnist/train-labels-idx1-ubyte.gz",
     "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"mnist", "mnist/t10k-images-idx3-ubyte.gz",
     "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-images-idx3-ubyte.gz",
     "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"mnist", "mnist/t10k-labels-idx1-ubyte.gz",
     "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-labels-idx1-ubyte.gz",
     "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
    {"nsl-kdd", "nsl-kdd/KDDTrain+.txt.gz", "https://raw.githubusercontent.com/defcom17/NSL_KDD/master/KDDTrain%2B.txt",
     "1b86d2f957b33082081bba410fe129b475efebcc13c9014c3f447c8271aadf95"},
    {"nsl-kdd", "nsl-kdd/KDDTest+.txt.gz", "https://raw.githubusercontent.com/defcom17/NSL_KDD/master/KDDTest%2B.txt",
     "fa46b0935342616aa83b7c2578db355b6a7aaabbc492248172c7a1e8b7ab8f84"},
    {"occupancy", "occupancy/datatraining.txt.gz",
     "https://raw.githubusercontent.com/LuisM78/Occupancy-detection-data/master/datatraining.txt",
     "b2c4d0ce2b9e4e453c476f7125ef31aeec2d1f5c7f5572d0e80de3df6521ab56"},
    {"occupancy", "occupancy/datatest.txt.gz",
     "https://raw.githubusercontent.com/LuisM78/Occupancy-detection-data/master/datatest.txt",
     "1b92c7c1b2838963464fa891a610cf3c5db4becb7189189b29b330107a584c7f"},
    {"occupancy", "occupancy/datatest2.txt.gz",
     "https://raw.githubusercontent.com/LuisM78/Occupancy-detection-data/master/datatest2.txt",
     "d026d1bd5aeccd4aff4f3b3710d48e40613bd5fc370db7e61bbdcaa50d985095"},
};

}  // namespace

std::vector<PublicFile> files_of(const std::string& set) {
  std::vector<PublicFile> found;
  std::set<std::string> sets;
  for (const PublicFile& file : kFiles) {
    sets.emplace(file.set);
    if (file.set == set) found.push_back(file);
  }
  if (!found.empty()) return found;
  std::string known;
  for (const std::string& name : sets) known += (known.empty() ? "" : ", ") + name;
  throw Error(ErrorKind::invalid_argument, "name: got '" + set + "', must be one of " + known, "name");
}

std::string given_data_folder() {
  const char* given = std::getenv("SOTTO_DATA");
  return given == nullptr ? "" : given;
}

}  // namespace sotto::cli
