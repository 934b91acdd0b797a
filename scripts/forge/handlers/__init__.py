"""What each address does; a handler takes a Call and returns an Answer or raises Refused."""
