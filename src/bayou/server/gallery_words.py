"""One plain sentence or two on each model of the gallery: what it is about, and what to try."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "asia": (
        "Shortness of breath after a visit to Asia: tuberculosis, lung cancer or bronchitis? Click dysp = "
        "yes, then asia = yes."
    ),
    "earthquake": (
        "A burglar or an earthquake sets off the alarm, and the neighbours call. Click JohnCalls = True, "
        "then Earthquake = True: the burglar becomes unlikely again."
    ),
    "cold_and_allergies": (
        "A cold or an allergy makes one cough, and only the allergy makes eyes itch. Click Cough = 1, "
        "then ItchyEyes = 1: the cold becomes less likely."
    ),
    "rain_and_wet_grass": (
        "Rain wets the grass. Click WetGrass = yes to see how likely it is that it has rained."
    ),
    "storm": (
        "What starts a forest fire: a storm, lightning or a campfire? Click ForestFire = yes, then one of "
        "its causes."
    ),
    "thunder_and_rain": (
        "Rain comes with lightning, and lightning with thunder. Click Thunder = yes, then Lightning = "
        "yes: the thunder then tells nothing more about rain."
    ),
    "cancer_test_network": (
        "A test for a rare cancer: a positive result still leaves the patient most probably healthy. "
        "Click Test = + to see why screening needs second tests."
    ),
    "cancer": (
        "Polluted air and smoking lead to lung cancer, which an X-ray and shortness of breath show. Click "
        "Xray = positive, then Smoker = True."
    ),
    "two_dice": (
        "Somebody picks one of two dice, one fair, one biased towards 6, and throws it. Click a face to "
        "see which die it was."
    ),
    "jim_and_martha_network": (
        "Jim and Martha rate films from 1 to 5, each by its genre. Click Jim's rating to predict Martha's."
    ),
    "heights_network": (
        "Heights of women and men in inches, each a bell curve. Click the curve to state a height and see "
        "how likely each sex is."
    ),
    "casino": "A casino secretly swaps a fair die for a loaded one. Type the throws to see when.",
    "umbrella_world": (
        "A guard who never sees the sky guesses the weather from who carries an umbrella. State umbrellas "
        "day by day."
    ),
    "survey": (
        "Who travels by car, by train or otherwise, by age, sex, education, work and residence. Click T = "
        "train to see who does."
    ),
    "sachs": (
        "Proteins that switch each other on and off in a human cell, each low, average or high. Set one "
        "by do() to see what it controls."
    ),
    "child": (
        "What is wrong with the heart of a newborn? State what was reported, and ask what to look at next."
    ),
    "insurance": (
        "What drives the cost of insuring a car, from the driver's age to the airbag. Click a driver and "
        "a car, and watch the costs."
    ),
    "alarm": "Monitoring a patient under anaesthesia: state what the monitors show, and ask why.",
}
