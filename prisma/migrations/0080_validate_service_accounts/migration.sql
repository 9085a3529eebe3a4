-- Looks at every API key, beside those who read and write them.
ALTER TABLE api_key VALIDATE CONSTRAINT api_key_of_service_account;
