-- input_request_counted and input_request_ballots (migrations 0174 and 0173) took their places.
DROP INDEX input_request_open;
DROP INDEX input_request_open_votes;
