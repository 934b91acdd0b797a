"""GitHub, read only, through PyGithub. Importing ``reader`` does not import PyGithub; asking does."""
