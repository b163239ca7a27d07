ŽJÓrLü©ýCleæVpÀ;C[NîÉÒ¯Tõ
pl¸¡ßuÈ‰K¶éê ¿'ZÝÊøMuiŠJ¢Oó‡Sê