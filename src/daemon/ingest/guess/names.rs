//! The information in the name of a column (CONTRACTS 3, `init`). Names only: values are never used
//! here, and a name alone never makes an identifier.

/// A column's name in lower case: its words, and all of it in one piece.
pub(super) struct ColumnName {
    words: Vec<String>,
    run: String,
}

/// How strongly a name suggests an identifier, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Identity {
    /// The number of a person.
    Person,
    /// The number of a case, an insurance or an account: a person has one or a few.
    Case,
    /// A number of something with an unknown name, given to several rows each.
    Key,
    /// Some identifying number.
    Thing,
    /// A counter.
    Counter,
}

const PEOPLE: &str = "patient person subject member client participant beneficiary insured nhs socialsecurity \
    medicalrecord patienten versicherten versicherter paciente asegurado assure assuré personen mitglied";
const NUMBERS: &str = "id ids identifier no nr num nummer number numero número numéro key code hash pseudonym ref reference \
    referenz";
/// Word endings with the same meaning (`Fallnummer`, `Versichertennr`).
const NUMBER_ENDS: [&str; 5] = ["nummer", "nr", "number", "numero", "kennung"];
const PERSON_NUMBERS: &str = "mrn ssn nhsno nhsnumber patientid personid subjectid memberid pid empi kvnr svnr ahv nir dni nif \
    healthcard healthcareid socialsecurity sozialversicherung versichertennr versichertennummer passport \
    reisepass personalausweis steuerid nationalid";
const CASES: &str = "case fall insurance versicherung versicherungs krankenversicherung encounter account konto iban policy \
    police dossier caso chart akten aufnahme rechnungs invoice claim seguro assurance licence license";
const CASE_NUMBERS: &str = "iban aktenzeichen caseid fallid claimid policynumber";
const COUNTERS: &str = "index row rownum record case encounter visit account no nr number unnamed";
/// Ways to contact a person.
const CONTACTS: &str = "email mail phone telephone mobile fax address street url ip telefon strasse straße adresse anschrift \
    hausnummer tel handy mobiltelefon mobilnummer telefono teléfono téléphone direccion dirección domicilio calle rue \
    courriel correo website contact kontakt";
/// Names of people; `name` alone counts as well, unless the name says what is named.
const PERSONS: &str = "firstname lastname surname forename fullname familyname givenname middlename birthname maidenname \
    maiden username vorname nachname familienname geburtsname zuname rufname prenom prénom nomdefamille apellido apellidos \
    nextofkin angehörige angehoerige guardian doctor physician surgeon arzt ärztin hausarzt medecin médecin medico médico \
    behandler practitioner initials signature unterschrift";
const NAMES: &str = "name names nom noms nombre nombres";
/// Free text.
const TEXTS: &str = "freetext freitext comment comments kommentar kommentare bemerkung bemerkungen note notes notiz notizen \
    remark remarks anmerkung anmerkungen narrative memo commentaire commentaires remarque remarques comentario comentarios \
    observaciones observacion nota notas texte texto hinweis hinweise";
/// The same, unless another word says what the text is about.
const WORDINGS: &str = "text description beschreibung descripcion descripción details";
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
const QUANTITIES: &str = "age year yob height weight children size count number familysize household days hours amount alter \
    year years stay los duration dauer tage verweildauer liegedauer jahr jahre";
/// Amounts of money: numbers that tables show as sums.
const AMOUNTS: &str = "cost costs price prices charge charges fee fees amount payment payments paid expense expenses expenditure \
    reimbursement kosten betrag preis entgelt erlös gebühr coste costes costo importe precio coût coûts montant prix";
const CODES: &str = "id code type class category kind status key month";
/// The length from which on words are recognised inside a name that is written in one piece
/// (`birthdate`, `zipcode`).
const TRUSTED: usize = 5;

impl ColumnName {
    /// Splits a name at all characters except letters and digits, and where a capital follows a
    /// small letter.
    pub(super) fn new(name: &str) -> ColumnName {
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
        ColumnName { words, run }
    }

    fn any(&self, list: &str) -> bool {
        list.split(' ').any(|known| {
            let long = known.len() >= TRUSTED
                && (self.run.starts_with(known) || self.run.ends_with(known));
            long || self.run == known || self.words.iter().any(|word| word == known)
        })
    }

    fn has(&self, list: &str) -> bool {
        self.words
            .iter()
            .any(|word| list.split(' ').any(|known| known == word))
    }

    /// Whether it may be an identifier, and how strongly.
    pub(super) fn identity(&self) -> Option<Identity> {
        let alone = self.words.len() == 1;
        if self.is_given_number() || (self.any(PEOPLE) && alone) {
            let case = !self.any(PERSON_NUMBERS) && !self.any(PEOPLE);
            return Some(if case {
                Identity::Case
            } else {
                Identity::Person
            });
        }
        if self.has("id identifier uuid guid pseudonym reference") {
            return Some(Identity::Thing);
        }
        self.any(COUNTERS).then_some(Identity::Counter)
    }

    /// Whether it explicitly is the number of a person or of a case.
    pub(super) fn is_given_number(&self) -> bool {
        let ends = |word: &String| {
            NUMBER_ENDS
                .iter()
                .any(|end| word.len() > end.len() && word.ends_with(end))
        };
        let number = self.has(NUMBERS) || self.words.iter().any(ends);
        let of = |list: &str| {
            let stem = |word: &String| {
                let stems = NUMBER_ENDS.iter().filter_map(|end| word.strip_suffix(end));
                stems
                    .into_iter()
                    .any(|stem| list.split(' ').any(|known| known == stem))
            };
            self.any(list) || self.words.iter().any(stem)
        };
        self.any(PERSON_NUMBERS) || self.any(CASE_NUMBERS) || (number && (of(PEOPLE) || of(CASES)))
    }

    /// Whether it names a person or a way to contact them.
    pub(super) fn is_contact(&self) -> bool {
        // Families and births have names of their own; other known attributes are not people.
        let thing = self.is_secret() || (self.is_known() && !self.has("family birth"));
        let named = self.has(NAMES) || self.run.ends_with("name");
        let given = self.any("familyname birthname");
        // The text that a reference to a person shows is the person's name.
        let shown = self.has("display") && self.any(PEOPLE);
        shown
            || self.any(CONTACTS)
            || self.any(PERSONS)
            || (named && (given || !thing || self.any(PEOPLE)))
    }

    /// Whether it is free text.
    pub(super) fn is_free_text(&self) -> bool {
        self.any(TEXTS) || (self.has(WORDINGS) && !self.is_secret() && !self.is_known())
    }

    /// Whether its numbers represent categories.
    pub(super) fn is_code(&self) -> bool {
        !self.is_quantity() && (self.has(CODES) || self.is_known())
    }

    /// Whether people would keep it to themselves.
    pub(super) fn is_secret(&self) -> bool {
        self.any(SECRETS)
    }

    /// Whether others may know it about a person.
    pub(super) fn is_known(&self) -> bool {
        self.any(KNOWN)
    }

    /// Whether its numbers are amounts, and not codes.
    pub(super) fn is_quantity(&self) -> bool {
        self.any(QUANTITIES)
    }

    /// Whether it is an amount of money.
    pub(super) fn is_amount(&self) -> bool {
        self.has(AMOUNTS)
    }

    /// Whether it contains a word that describes the column.
    pub(super) fn says_something(&self) -> bool {
        let thing = self.is_known() || self.is_secret() || self.is_quantity() || self.is_amount();
        thing || self.is_contact() || self.is_free_text() || self.identity().is_some()
    }

    /// Whether it is an age in years.
    pub(super) fn is_age(&self) -> bool {
        self.words
            .iter()
            .any(|word| word == "age" || word == "alter")
            && !self.any("group band class months days")
    }

    /// Whether it is a sex.
    pub(super) fn is_sex(&self) -> bool {
        self.any("sex gender geschlecht")
    }

    /// Whether it is a postal code, and whether one of the United States.
    pub(super) fn is_postal(&self) -> (bool, bool) {
        let us = self.any("zip zip3 zip5 zipcode");
        (us || self.any("postcode postal plz postleitzahl"), us)
    }

    /// Whether it is about a birth.
    pub(super) fn is_birth(&self) -> bool {
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
            assert_eq!(ColumnName::new(name).words, words);
        }
    }

    #[test]
    fn what_names_say() {
        for name in [
            "patient_id",
            "PatientID",
            "mrn",
            "MRN",
            "patientid",
            "ssn",
            "patient",
            "nhs number",
        ] {
            assert_eq!(
                ColumnName::new(name).identity(),
                Some(Identity::Person),
                "{name}"
            );
        }
        assert_eq!(
            ColumnName::new("specimen id").identity(),
            Some(Identity::Thing)
        );
        assert_eq!(ColumnName::new("row").identity(), Some(Identity::Counter));
        for name in [
            "Versichertennr",
            "SSN",
            "Patientennummer",
            "Patienten-Nr.",
            "insured_no",
            "KVNR",
            "paciente id",
        ] {
            assert_eq!(
                ColumnName::new(name).identity(),
                Some(Identity::Person),
                "{name}"
            );
            assert!(ColumnName::new(name).is_given_number(), "{name}");
        }
        for name in [
            "Fallnummer",
            "FallNr",
            "case_id",
            "encounter id",
            "insurance number",
            "Aufnahmenr",
            "policy-no",
            "IBAN",
        ] {
            assert_eq!(
                ColumnName::new(name).identity(),
                Some(Identity::Case),
                "{name}"
            );
        }
        for name in [
            "subject_reference",
            "patient_reference",
            "subject_identifier_value",
            "beneficiary_reference",
        ] {
            assert_eq!(
                ColumnName::new(name).identity(),
                Some(Identity::Person),
                "{name}"
            );
        }
        assert_eq!(
            ColumnName::new("encounter_reference").identity(),
            Some(Identity::Case)
        );
        assert_eq!(
            ColumnName::new("basis_reference").identity(),
            Some(Identity::Thing)
        );
        for name in [
            "subject_display",
            "name",
            "Name",
            "Vorname",
            "Nachname",
            "surname",
            "patient_name",
            "Patientenname",
            "birth name",
            "Hausarzt",
            "family name",
            "prénom",
            "apellidos",
            "Wohnadresse",
            "Telefonnummer",
            "phone number",
            "e-mail",
            "Stra\u{df}e",
        ] {
            assert!(ColumnName::new(name).is_contact(), "{name}");
        }
        for name in [
            "class_display",
            "country_name",
            "medicationName",
            "Stationsname",
            "family size",
            "relationship",
            "city",
        ] {
            assert!(!ColumnName::new(name).is_contact(), "{name}");
        }
        for name in [
            "free text",
            "FreeText",
            "comment",
            "Bemerkung",
            "notes",
            "diagnosis_notes",
            "Freitext",
            "text",
        ] {
            assert!(ColumnName::new(name).is_free_text(), "{name}");
        }
        for name in ["diagnosis_text", "context", "procedure description"] {
            assert!(!ColumnName::new(name).is_free_text(), "{name}");
        }
        for name in ["patient_class", "paid", "valid", "weight"] {
            assert_eq!(ColumnName::new(name).identity(), None, "{name}");
        }
        for name in [
            "age",
            "sex",
            "zipcode",
            "birthDate",
            "native-country",
            "marital-status",
            "ward",
        ] {
            assert!(ColumnName::new(name).is_known(), "{name}");
        }
        for name in ["diagnosis_code", "ICD10", "salary-class", "medicationName"] {
            assert!(ColumnName::new(name).is_secret(), "{name}");
        }
        for name in ["stage", "dosage", "essex", "image"] {
            assert!(
                !ColumnName::new(name).is_age()
                    && !ColumnName::new(name).is_sex()
                    && !ColumnName::new(name).is_known(),
                "{name}"
            );
        }
    }
}
