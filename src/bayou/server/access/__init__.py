"""Who gets in, and with how much: sessions, the headers of answers, limits of bodies and connections."""
