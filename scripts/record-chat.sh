#!/usr/bin/env bash
# Records two terminals that talk in one store at the same time, as text: what people see of `varve chat` with /compact
# and /new, a kill -9 in the middle, and what is there afterwards. Needs tmux and a build.
#
#   pnpm run build && scripts/record-chat.sh docs/guides/chat-session.txt
set -euo pipefail

out=${1:?Usage: scripts/record-chat.sh FILE}
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d)
socket="varve-record-$$"
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; sleep 1; rm -rf "$root"' EXIT

export VARVE_HOME="$root/store" PS1='$ '
varve="node $here/packages/cli/bin/varve.js"
cd "$root"

open_terminal() { tmux -L "$socket" new-session -d -s "$1" -x 90 -y 140 "env -i PATH='$PATH' HOME='$root' VARVE_HOME='$VARVE_HOME' PS1='$1\$ ' TERM=xterm bash --norc --noprofile -i"; }
type_line() { tmux -L "$socket" send-keys -t "$1" -l -- "$2"; tmux -L "$socket" send-keys -t "$1" Enter; }

# Waits until a terminal shows a text for the nth time.
wait_for() {
  for _ in $(seq 1 300); do
    [ "$(tmux -L "$socket" capture-pane -t "$1" -p | grep -c -- "$2")" -ge "${3:-1}" ] && return 0
    sleep 0.1
  done
  echo "The terminal $1 never showed: $2" >&2
  tmux -L "$socket" capture-pane -t "$1" -p >&2
  exit 1
}

show() { tmux -L "$socket" capture-pane -t "$1" -p | sed -e "s#$varve#varve#g" -e "s#$root#~#g" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

open_terminal one
open_terminal two
type_line one "alias varve='$varve'; clear"
type_line two "alias varve='$varve'; clear"

type_line one 'varve chat --budget 2k'
wait_for one 'A new conversation'
asked=0
# Says something, and waits for the line behind its answer.
say() {
  type_line one "$1"
  asked=$((asked + 1))
  wait_for one 'of 2k tokens' "$asked"
}

say 'The invoice of the blue kettle is INV-4471, and it is due on 12 March.'
for number in 1 2 3 4; do
  say "Note $number: the supplier of part $number is in Lund and delivers on Tuesdays, never on Fridays."
done
say '/compact the invoice'
say 'When is INV-4471 due?'

# Meanwhile, another conversation in the same store.
type_line two 'varve chat garden'
wait_for two 'A new conversation'
type_line two 'The heron comes at six.'
wait_for two 'tokens'
type_line two '/quit'
wait_for two 'two\$' 2
type_line two 'varve sessions list'
wait_for two 'agent:main:main'

# The first process is killed while it has the conversation open.
pkill -9 -f "$here/packages/cli/bin/varve.js chat --budget 2k"
wait_for one 'Killed'
type_line one 'varve chat --budget 2k'
wait_for one 'Resumed'
say 'When is INV-4471 due?'
say '/new'
say 'When is INV-4471 due?'
say 'What did I say of the suppliers?'
type_line one '/quit'
wait_for one 'one\$' 3

{
  echo '──────────────────────────── terminal one ────────────────────────────'
  show one
  echo
  echo '──────────────────────────── terminal two ────────────────────────────'
  show two
} > "$here/${out#"$here"/}"
