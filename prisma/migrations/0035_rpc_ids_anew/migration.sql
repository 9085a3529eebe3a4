-- A server may begin its JSON-RPC ids anew in a session that lives: then one id stands for two questions, one after the other.
DROP INDEX ask_rpc;
