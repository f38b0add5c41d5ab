class Exactness:
    name = "exactness"
    def cells(self, session):
        raise NotImplementedError
