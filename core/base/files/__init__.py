"""Files of the user and of this program: archives, databases of answers, folders of guests."""
