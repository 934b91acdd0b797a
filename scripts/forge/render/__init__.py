"""Values of the emulated GitHub as the JSON that GitHub's OpenAPI description asks for."""
