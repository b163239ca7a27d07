јѕ3‘AV
ФпG‘йЌ=–4d0єчdEюv[UЛРЬj&eє7,­:S ‹©XD‹Jwo,РZ1Fl	о