#!/bin/sh
# Makes the certificate of compose.yaml's Postgres and the authority that signed it, whose key is thrown away:
# `sh ops/container/make-certificate.sh [folder] [name]`. Again, and `docker compose up -d --force-recreate`, makes new ones;
# they end after ten years. An address in the folder that does not say how it is encrypted is made to verify (verify-full).
set -eu
folder=${1:-secrets}
name=${2:-postgres}
umask 077
made=$(mktemp -d "$folder/certificate.XXXXXX")
trap 'rm -rf "$made"' EXIT

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 3650 -subj "/CN=Intray's database" \
  -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign" \
  -keyout "$made/authority.key" -out "$made/postgres_ca" 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -subj "/CN=$name" \
  -keyout "$made/postgres_key" -out "$made/request" 2>/dev/null
printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\n' "$name" > "$made/extensions"
openssl x509 -req -sha256 -days 3650 -in "$made/request" -CA "$made/postgres_ca" -CAkey "$made/authority.key" \
  -CAcreateserial -extfile "$made/extensions" -out "$made/postgres_certificate" 2>/dev/null

# Readable by the container that it is given to; the folder is for its owner alone.
for file in postgres_ca postgres_certificate postgres_key; do
  chmod 644 "$made/$file"
  mv -f "$made/$file" "$folder/$file"
done
for file in database_url app_database_url engine_database_url; do
  [ -f "$folder/$file" ] || continue
  address=$(cat "$folder/$file")
  case $address in *sslmode=*) continue ;; *\?*) more='&' ;; *) more='?' ;; esac
  printf '%s\n' "$address${more}sslmode=verify-full&sslrootcert=/run/secrets/postgres_ca" > "$folder/$file"
done
