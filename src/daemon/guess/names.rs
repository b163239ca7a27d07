//! What the name of a column says about it (CONTRACTS 3, `init`). Names only: a value is never looked at here, and a
//! name alone never makes an identifier.

/// A column's name in small letters: its words, and everything run together.
pub struct Name {
    words: Vec<String>,
    run: String,
}

/// How strongly a name speaks for an identifier, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// The number of a person.
    Person,
    /// Some number that names something.
    Thing,
    /// A counter.
    Counter,
}

const PEOPLE: &str = "patient person subject member client participant beneficiary insured nhs socialsecurity \
    medicalrecord patienten versicherten";
const NUMBERS: &str = "id ids identifier no nr num number key code hash pseudonym ref";
const PERSON_NUMBERS: &str = "mrn ssn nhsno nhsnumber patientid personid subjectid memberid pid empi";
const COUNTERS: &str = "index row rownum record case encounter visit account no nr number unnamed";
const CONTACTS: &str = "name firstname lastname surname forename fullname email mail phone telephone mobile fax address \
    street url ip vorname nachname telefon strasse";
const SECRETS: &str = "diagnosis diagnoses diagnose disease icd icd10 illness condition comorbidity medication medications \
    drug drugs prescription treatment procedure symptom symptoms finding allergy allergies hiv salary \
    income wage earnings complaint cause injury iinjury outcome lab result befund krankheit gehalt \
    default";
const KNOWN: &str = "age sex gender zip zip3 zip5 zipcode postcode postal plz birth dob born yob race ethnicity ethnic hispanic \
    marital married marriage education grade degree school occupation job profession workclass \
    employment employer country nation nationality native citizenship state region province city town \
    county district municipality ward department unit hospital clinic site facility admission admitted \
    discharge date year month religion language height weight relationship family familysize household \
    children insurance military veteran alter geschlecht geburtsdatum land ort beruf station";
const QUANTITIES: &str =
    "age year yob height weight children size count number familysize household days hours amount alter";
/// Words long enough to be trusted inside a name that is written in one piece (`birthdate`, `zipcode`).
const TRUSTED: usize = 5;

impl Name {
    /// Takes a name apart at everything that is no letter or digit, and where a capital follows a small letter.
    pub fn new(name: &str) -> Name {
        let mut words = vec![String::new()];
        let mut small = false;
        for c in name.chars() {
            if !c.is_alphanumeric() || (small && c.is_uppercase()) {
                words.push(String::new());
            }
            small = c.is_lowercase();
            if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
                word.extend(c.to_lowercase());
            }
        }
        words.retain(|word| !word.is_empty());
        let run = words.concat();
        Name { words, run }
    }

    fn any(&self, list: &str) -> bool {
        list.split(' ').any(|known| {
            let long = known.len() >= TRUSTED && (self.run.starts_with(known) || self.run.ends_with(known));
            long || self.run == known || self.words.iter().any(|word| word == known)
        })
    }

    /// Whether it may be an identifier, and how strongly.
    pub fn identity(&self) -> Option<Identity> {
        let number = self.words.iter().any(|word| NUMBERS.split(' ').any(|number| number == word));
        let alone = self.words.len() == 1;
        let person = self.any(PERSON_NUMBERS) || (self.any(PEOPLE) && (number || alone));
        let id =
            self.words.iter().any(|word| matches!(word.as_str(), "id" | "identifier" | "uuid" | "guid" | "pseudonym"));
        match (person, id) {
            (true, _) => Some(Identity::Person),
            (false, true) => Some(Identity::Thing),
            (false, false) => self.any(COUNTERS).then_some(Identity::Counter),
        }
    }

    /// Whether it names or reaches a person directly.
    pub fn is_contact(&self) -> bool {
        self.words.iter().any(|word| CONTACTS.split(' ').any(|contact| contact == word))
    }

    /// Whether it is what people would keep to themselves.
    pub fn is_secret(&self) -> bool {
        self.any(SECRETS)
    }

    /// Whether others may know it of a person.
    pub fn is_known(&self) -> bool {
        self.any(KNOWN)
    }

    /// Whether its numbers are amounts, and not codes.
    pub fn is_quantity(&self) -> bool {
        self.any(QUANTITIES)
    }

    /// Whether it is an age in years.
    pub fn is_age(&self) -> bool {
        self.words.iter().any(|word| word == "age" || word == "alter") && !self.any("group band class months days")
    }

    /// Whether it is a sex.
    pub fn is_sex(&self) -> bool {
        self.any("sex gender geschlecht")
    }

    /// Whether it is a postal code, and whether one of the United States.
    pub fn is_postal(&self) -> (bool, bool) {
        let us = self.any("zip zip3 zip5 zipcode");
        (us || self.any("postcode postal plz postleitzahl"), us)
    }

    /// Whether it is about a birth.
    pub fn is_birth(&self) -> bool {
        self.any("birth dob born yob geburtsdatum")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart_into_words() {
        for (name, words) in [
            ("marital-status", vec!["marital", "status"]),
            ("birthDate", vec!["birth", "date"]),
            ("PATIENT_ID", vec!["patient", "id"]),
            ("Größe (cm)", vec!["größe", "cm"]),
            ("", vec![]),
        ] {
            assert_eq!(Name::new(name).words, words);
        }
    }

    #[test]
    fn what_names_say() {
        for name in ["patient_id", "PatientID", "mrn", "MRN", "patientid", "ssn", "patient", "nhs number"] {
            assert_eq!(Name::new(name).identity(), Some(Identity::Person), "{name}");
        }
        assert_eq!(Name::new("encounter id").identity(), Some(Identity::Thing));
        assert_eq!(Name::new("row").identity(), Some(Identity::Counter));
        for name in ["patient_class", "paid", "valid", "weight"] {
            assert_eq!(Name::new(name).identity(), None, "{name}");
        }
        for name in ["age", "sex", "zipcode", "birthDate", "native-country", "marital-status", "ward"] {
            assert!(Name::new(name).is_known(), "{name}");
        }
        for name in ["diagnosis_code", "ICD10", "salary-class", "medicationName"] {
            assert!(Name::new(name).is_secret(), "{name}");
        }
        for name in ["stage", "dosage", "essex", "image"] {
            assert!(!Name::new(name).is_age() && !Name::new(name).is_sex() && !Name::new(name).is_known(), "{name}");
        }
    }
}
