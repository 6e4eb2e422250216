"""Files of the user and of this program: documents, archives, databases of answers, folders of guests."""
