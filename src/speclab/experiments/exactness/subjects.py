SUBJECTS: tuple = ()
