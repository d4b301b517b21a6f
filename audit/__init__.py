"""What wirelab is made of: licences, advisories, checksums, and the page that names it all."""
