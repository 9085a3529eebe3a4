#!/bin/sh
# Makes the secrets of compose.yaml, once: `sh ops/container/make-secrets.sh [folder]`. Back up intray_keys apart from the
# database (docs/keys.md). The folder is for its owner alone; a file is readable by the container it is given to.
set -eu
folder=${1:-secrets}
umask 022
mkdir -m 700 "$folder"

random() { openssl rand -hex 24; }
keep() { printf '%s\n' "$2" > "$folder/$1"; }

keep postgres_password "$(random)"
keep database_url "postgresql://intray_owner:$(random)@postgres:5432/intray"
keep app_database_url "postgresql://intray_app:$(random)@postgres:5432/intray"
keep engine_database_url "postgresql://intray_engine:$(random)@postgres:5432/intray"
keep intray_keys "k1:$(openssl rand -base64 32)"
keep auth_secret "$(openssl rand -base64 32)"
sh "$(dirname "$0")/make-certificate.sh" "$folder"
