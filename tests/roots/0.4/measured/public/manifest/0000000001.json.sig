½VIl’=‹ª§±~AÛ©E
­iÂx%¬Úð¥RÍ‘¯ÕDu	U3ÔabÅˆÃfHbp‰ì³a"tž‰)M©