oG(r„ωΗuΜ—]VΦΏ{SΡ΄Ψu¤όζzφhρΎ9$d=Ίαχ‹jK%3€Cƒ z!U
¶εgfl―3YΏ†VΚ