#!/bin/sh
# Run once by the Postgres image, on an empty data folder: the database and its owner, who makes roles and tables
# (`migrate`) and is no superuser, so that row security binds it.
set -eu
password=$(sed 's#^[a-z]*://[^:]*:\([^@]*\)@.*#\1#' /run/secrets/database_url)
psql --set ON_ERROR_STOP=1 --set password="$password" --username postgres --no-psqlrc <<SQL
CREATE ROLE intray_owner LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE intray OWNER intray_owner;
REVOKE CONNECT ON DATABASE intray FROM PUBLIC;
SQL
