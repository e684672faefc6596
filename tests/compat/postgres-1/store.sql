-- Rows of a copy of the first schema, made from a store in SQLite. tests/store/upgrade.rs says how.
INSERT INTO kenning.algorithm_trace VALUES
	(1, 'global', 's0', 1796013218563, 1, 'rotate the signing keys of the service', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1000.0,1000.0],"gate":30.0,"best":31.79404628276825,"thresholds":[0.92,0.92],"past_tasks":0,"tools":[{"tool":"rotate_keys","evidence":31.79404628276825,"text":0.8877951496426372,"near":0.8877951496426372,"past":null,"score":-0.11901424994175666,"share":0.8877951496426372,"chance":0.9999822148245278,"suggested":true},{"tool":"send_mail","evidence":29.72563147544861,"text":0.1122048503573629,"near":0.1122048503573629,"past":null,"score":-2.1874290572613977,"share":0.1122048503573629,"chance":0.44847673140438815,"suggested":false}],"capabilities":[]}'),
	(2, 'global', 's0', 1796013219717, 2, 'send a message by mail', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1000.0,1000.0],"gate":30.0,"best":30.970667123794556,"thresholds":[0.92,0.92],"past_tasks":0,"tools":[{"tool":"send_mail","evidence":30.970667123794556,"text":0.8352994954784242,"near":0.33333333333333326,"past":null,"score":-1.2785772298890188,"share":0.7171796459567437,"chance":0.9981905219968606,"suggested":true},{"tool":"rotate_keys","evidence":29.347005486488342,"text":0.16470050452157567,"near":0.6666666666666665,"past":null,"score":-2.2090916866352868,"share":0.2828203540432564,"chance":0.8102683526652947,"suggested":false}],"capabilities":[]}'),
	(3, 'global', 's1', 1796013221114, 3, 'rotate the signing keys of the service', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1000.0,1000.0],"gate":30.0,"best":31.79404628276825,"thresholds":[0.908,0.92],"past_tasks":1,"tools":[{"tool":"rotate_keys","evidence":31.79404628276825,"text":0.8877951496426372,"near":0.49954088469626434,"past":0.75,"score":-1.1007621553929243,"share":0.9595031200477382,"chance":0.9999998910799522,"suggested":true},{"tool":"send_mail","evidence":29.72563147544861,"text":0.1122048503573629,"near":0.5004591153037355,"past":0.25,"score":-4.265952789649596,"share":0.040496879952261804,"chance":0.18673523559926775,"suggested":false}],"capabilities":[]}'),
	(4, 'global', 's1', 1796013222117, 4, 'send a message by mail', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1000.0,3.0],"gate":30.0,"best":30.970667123794556,"thresholds":[0.908,0.92],"past_tasks":1,"tools":[{"tool":"rotate_keys","evidence":29.347005486488342,"text":0.16470050452157567,"near":0.5999591056485832,"past":0.8,"score":-2.5376639131824947,"share":0.5418834817758384,"chance":0.9798219238502698,"suggested":true},{"tool":"send_mail","evidence":30.970667123794556,"text":0.8352994954784242,"near":0.4000408943514169,"past":0.2,"score":-2.7055913548763533,"share":0.45811651822416155,"chance":0.9532771244904663,"suggested":true}],"capabilities":[]}'),
	(5, 'global', 's2', 1796013223670, 5, 'rotate the signing keys of the service', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1.0,1.0],"gate":30.0,"best":31.79404628276825,"thresholds":[0.896,0.92],"past_tasks":2,"tools":[{"tool":"rotate_keys","evidence":31.79404628276825,"text":0.8877951496426372,"near":0.18310267309433287,"past":0.8333333333333334,"score":-1.9990440350487395,"share":0.8986566111756052,"chance":0.9999893100145791,"suggested":true},{"tool":"send_mail","evidence":29.72563147544861,"text":0.1122048503573629,"near":0.8168973269056671,"past":0.16666666666666666,"score":-4.181430389370928,"share":0.1013433888243947,"chance":0.4139038504455971,"suggested":false}],"capabilities":[]}'),
	(6, 'global', 's2', 1796013225093, 6, 'send a message by mail', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1.0,1.0],"gate":30.0,"best":30.970667123794556,"thresholds":[0.896,0.92],"past_tasks":2,"tools":[{"tool":"rotate_keys","evidence":29.347005486488342,"text":0.16470050452157567,"near":0.4958590037242623,"past":0.8571428571428572,"score":-2.6592409177079777,"share":0.5378110420326867,"chance":0.9789089681138733,"suggested":true},{"tool":"send_mail","evidence":30.970667123794556,"text":0.8352994954784242,"near":0.5041409962757377,"past":0.14285714285714288,"score":-2.8107743857956353,"share":0.4621889579673133,"chance":0.95500662478554,"suggested":true}],"capabilities":[]}'),
	(7, 'global', 's3', 1796013226602, 7, 'rotate the signing keys of the service', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1.0,1.0],"gate":30.0,"best":31.79404628276825,"thresholds":[0.884,0.92],"past_tasks":3,"tools":[{"tool":"rotate_keys","evidence":31.79404628276825,"text":0.8877951496426372,"near":0.138301198846404,"past":0.875,"score":-2.230867014466945,"share":0.8988810415537323,"chance":0.9999894278592101,"suggested":true},{"tool":"send_mail","evidence":29.72563147544861,"text":0.1122048503573629,"near":0.8616988011535961,"past":0.125,"score":-4.415720086935904,"share":0.10111895844626766,"chance":0.4131716269483733,"suggested":false}],"capabilities":[]}'),
	(8, 'global', 's3', 1796013227643, 8, 'send a message by mail', '{"mix":[1.0,1.0,60.0],"pseudo_counts":[1.0,1.0],"gate":30.0,"best":30.970667123794556,"thresholds":[0.884,0.92],"past_tasks":3,"tools":[{"tool":"rotate_keys","evidence":29.347005486488342,"text":0.16470050452157567,"near":0.42987945692812846,"past":0.8888888888888888,"score":-2.7656600565038807,"share":0.5432508683569864,"chance":0.9801212692318583,"suggested":true},{"tool":"send_mail","evidence":30.970667123794556,"text":0.8352994954784242,"near":0.5701205430718714,"past":0.1111111111111111,"score":-2.939096979995758,"share":0.4567491316430135,"chance":0.9526846403086505,"suggested":true}],"capabilities":[]}');
INSERT INTO kenning.attribute VALUES
	(5, 'year', 0, 'number', NULL, 2.5);
INSERT INTO kenning.embedding VALUES
	(1, 0, '\xbb21ea7a35c3060d55dc91d1e3d31a06'),
	(2, 0, '\x77ccb09d0d5afd1780d7723c7574f0ad'),
	(3, 0, '\x4414ab2a388b603711c835197e09a007'),
	(5, 0, '\xf467a3f1fdbf5055c0ebc08e5f4dc1b1'),
	(6, 0, '\x55aa094ddc257f4aaa99811dbe097fd1'),
	(7, 0, '\x2635a7968950495ed355a4160bb6288d'),
	(8, 0, '\x6798dedaa09a5cf69ff2069d792ba62c');
INSERT INTO kenning.error_log VALUES
	(1, 'global', 'bash', 'make', 'v2:d132016d6a47fc45', 'make: jq: No such file or directory', 's3', 4, 1796013219950, 1796013227807);
INSERT INTO kenning.error_session VALUES
	(1, 's0', 1, 1796013219950, 1796013219950),
	(1, 's1', 1, 1796013222342, 1796013222342),
	(1, 's2', 1, 1796013225271, 1796013225271),
	(1, 's3', 1, 1796013227807, 1796013227807);
INSERT INTO kenning.event VALUES
	(1, 1796013202443, 'indexed', '{"added":4,"changed":0,"moved":0,"removed":0,"chunks_added":4,"chunks_removed":0}'),
	(2, 1796013203458, 'forgot', '{"items":1}'),
	(3, 1796013204122, 'items put', '{"added":1,"updated":0}'),
	(4, 1796013204728, 'tools', '{"added":2,"changed":0}');
INSERT INTO kenning.external_item VALUES
	(5, 'pier', 'global');
INSERT INTO kenning.forgotten VALUES
	(1, 'chunk/a42619ee6b5be28a', 1796013203416, '/tmp/kenning-example/notes/safe.md', 1, '\x8f88a909b391a2d85af533d087e13798', 5, '\x50a30d31d9b5d252af9e1591feaf9ae208c361fe', 4, '\x54521444a9ea3a527ef4bd59cdfd69a7');
INSERT INTO kenning.item VALUES
	(1, 'chunk/bb5bdbe2543b1961', 'chunk', 'global', 'personal', 'active', 'farm', 'Bees are kept behind the orchard wall, where the morning sun reaches the hives.', '\xbb21ea7a35c3060d55dc91d1e3d31a06', 10, '{}', 1, 0, 79, 1, 1, 1796013202443, 1796013202229),
	(2, 'chunk/db5681a7e0641300', 'chunk', 'global', 'personal', 'active', 'Operations > Keys', 'Signing keys are rotated every ninety days.', '\x77ccb09d0d5afd1780d7723c7574f0ad', 8, '{}', 2, 23, 66, 5, 5, 1796013202443, 1796013202233),
	(3, 'chunk/0d76b82dc8ba5344', 'chunk', 'global', 'personal', 'active', 'More', 'See [keys](keys.md).', '\x4414ab2a388b603711c835197e09a007', 6, '{}', 3, 8, 28, 3, 3, 1796013202443, 1796013202233),
	(4, 'chunk/a42619ee6b5be28a', 'chunk', 'global', 'personal', 'retired', '', '', '\x5ec9eac54fbc7141fc4af1da94265adc', 0, '{}', 4, 8, 38, 3, 3, 1796013202443, 1796013202233),
	(5, 'item/c85276731647249544b9e18a497031fc', 'chunk', 'global', 'personal', 'active', '', 'The north pier has forty 0lamps.', '\xf467a3f1fdbf5055c0ebc08e5f4dc1b1', 4, '{"external_id":"pier","fields":{"year":2.5}}', NULL, NULL, NULL, NULL, NULL, 1796013203822, 1796013203822),
	(6, 'memory/45fc61a7ffb0', 'fact', 'global', 'personal', 'active', '', 'Keys are rotated in May', '\x55aa094ddc257f4aaa99811dbe097fd1', 3, '{}', NULL, NULL, NULL, NULL, NULL, 1796013204376, 1796013204376),
	(7, 'memory/24a8136c06ee', 'tactic', 'global', 'personal', 'active', '', 'Run `apt-get install -y jq`, then `make` again', '\x2635a7968950495ed355a4160bb6288d', 7, '{}', NULL, NULL, NULL, NULL, NULL, 1796013228835, 1796013228835),
	(8, 'memory/1cbb36a7c0f6', 'problem', 'global', 'personal', 'active', '', 'make: jq: No such file or directory', '\x6798dedaa09a5cf69ff2069d792ba62c', 6, '{}', NULL, NULL, NULL, NULL, NULL, 1796013228835, 1796013228835);
INSERT INTO kenning.link VALUES
	('memory/1cbb36a7c0f6', 'memory/24a8136c06ee', 'solved_by', 1);
INSERT INTO kenning.memory VALUES
	('memory/1cbb36a7c0f6', 8, 'problem', 'global', 'active', 0, '4fdfc396bfc1fce151abd05178f086fd', 'v2:d132016d6a47fc45', NULL, 1796013229414, '{"id":"memory/1cbb36a7c0f6","kind":"problem","scope":"global","authority":"personal","source":"validated","author":"person","state":"active","validated":true,"independent":true,"raw_confidence":70,"sessions":["s0","s1","s2","s3"],"seen":4,"worked":0,"failed":0,"last_at":1796013229414,"words":{"error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45"},"links":[{"relation":"solved_by","to":"memory/24a8136c06ee"}],"first_event":3,"created_at":1796013228835,"updated_at":1796013228835}'),
	('memory/24a8136c06ee', 7, 'tactic', 'global', 'active', 0, '07c426665e72456d800888ab1f245bf2', 'v2:d132016d6a47fc45', NULL, 1796013229414, '{"id":"memory/24a8136c06ee","kind":"tactic","scope":"global","authority":"personal","source":"validated","author":"person","state":"active","validated":true,"independent":true,"raw_confidence":70,"sessions":["s0","s1","s2","s3"],"seen":4,"worked":4,"failed":0,"last_at":1796013229414,"words":{"text":"Run `apt-get install -y jq`, then `make` again","error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45","evidence":[{"text":"Run 5 of session s0: make: jq: No such file or directory","command":"apt-get install -y jq"},{"text":"Run 5 of session s1: make: jq: No such file or directory","command":"apt-get install -y jq"},{"text":"Run 5 of session s2: make: jq: No such file or directory","command":"apt-get install -y jq"},{"text":"Run 5 of session s3: make: jq: No such file or directory","command":"apt-get install -y jq"}]},"first_event":2,"created_at":1796013228835,"updated_at":1796013228835}'),
	('memory/45fc61a7ffb0', 6, 'fact', 'global', 'active', 0, 'e17663a71e290e692206b14bf201e86c', NULL, NULL, 1796013204376, '{"id":"memory/45fc61a7ffb0","kind":"fact","scope":"global","authority":"personal","source":"quirk","author":"person","state":"active","validated":false,"independent":false,"raw_confidence":50,"sessions":["day 20787"],"seen":1,"worked":0,"failed":0,"last_at":1796013204376,"words":{"text":"Keys are rotated in May"},"first_event":1,"created_at":1796013204376,"updated_at":1796013204376}');
INSERT INTO kenning.memory_event VALUES
	(1, 1796013204376, 'memory/45fc61a7ffb0', 'day 20787', '"person"', '{"name":"observed","kind":"fact","scope":"global","authority":"personal","source":"quirk"}'),
	(2, 1796013228835, 'memory/24a8136c06ee', 's0', '"person"', '{"name":"observed","kind":"tactic","scope":"global","authority":"personal","source":"validated","worked":true,"anchored":true}'),
	(3, 1796013228835, 'memory/1cbb36a7c0f6', 's0', '"person"', '{"name":"observed","kind":"problem","scope":"global","authority":"personal","source":"validated","anchored":true}'),
	(4, 1796013228835, 'memory/1cbb36a7c0f6', 's0', '"person"', '{"name":"linked","to":"memory/24a8136c06ee","relation":"solved_by"}'),
	(5, 1796013229186, 'memory/24a8136c06ee', 's1', '"person"', '{"name":"reinforced","worked":true}'),
	(6, 1796013229186, 'memory/1cbb36a7c0f6', 's1', '"person"', '{"name":"reinforced"}'),
	(7, 1796013229186, 'memory/1cbb36a7c0f6', 's1', '"person"', '{"name":"linked","to":"memory/24a8136c06ee","relation":"solved_by"}'),
	(8, 1796013229302, 'memory/24a8136c06ee', 's2', '"person"', '{"name":"reinforced","worked":true}'),
	(9, 1796013229302, 'memory/1cbb36a7c0f6', 's2', '"person"', '{"name":"reinforced"}'),
	(10, 1796013229302, 'memory/1cbb36a7c0f6', 's2', '"person"', '{"name":"linked","to":"memory/24a8136c06ee","relation":"solved_by"}'),
	(11, 1796013229414, 'memory/24a8136c06ee', 's3', '"person"', '{"name":"reinforced","worked":true}'),
	(12, 1796013229414, 'memory/1cbb36a7c0f6', 's3', '"person"', '{"name":"reinforced"}'),
	(13, 1796013229414, 'memory/1cbb36a7c0f6', 's3', '"person"', '{"name":"linked","to":"memory/24a8136c06ee","relation":"solved_by"}');
INSERT INTO kenning.memory_words VALUES
	(1, 'memory/45fc61a7ffb0', '{"text":"Keys are rotated in May"}'),
	(2, 'memory/24a8136c06ee', '{"text":"Run `apt-get install -y jq`, then `make` again","error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45","evidence":[{"text":"Run 5 of session s0: make: jq: No such file or directory","command":"apt-get install -y jq"}]}'),
	(3, 'memory/1cbb36a7c0f6', '{"error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45"}'),
	(4, 'memory/1cbb36a7c0f6', '{}'),
	(5, 'memory/24a8136c06ee', '{"text":"Run `apt-get install -y jq`, then `make` again","error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45","evidence":[{"text":"Run 5 of session s1: make: jq: No such file or directory","command":"apt-get install -y jq"}]}'),
	(6, 'memory/1cbb36a7c0f6', '{}'),
	(7, 'memory/1cbb36a7c0f6', '{}'),
	(8, 'memory/24a8136c06ee', '{"text":"Run `apt-get install -y jq`, then `make` again","error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45","evidence":[{"text":"Run 5 of session s2: make: jq: No such file or directory","command":"apt-get install -y jq"}]}'),
	(9, 'memory/1cbb36a7c0f6', '{}'),
	(10, 'memory/1cbb36a7c0f6', '{}'),
	(11, 'memory/24a8136c06ee', '{"text":"Run `apt-get install -y jq`, then `make` again","error":"make: jq: No such file or directory","fingerprint":"v2:d132016d6a47fc45","evidence":[{"text":"Run 5 of session s3: make: jq: No such file or directory","command":"apt-get install -y jq"}]}'),
	(12, 'memory/1cbb36a7c0f6', '{}'),
	(13, 'memory/1cbb36a7c0f6', '{}');
INSERT INTO kenning.meta VALUES
	('active_model', 'tiny@f456b43e1ef7ac60'),
	('cut', '5 tiny@f456b43e1ef7ac60');
INSERT INTO kenning.model VALUES
	(1, 'tiny@f456b43e1ef7ac60', 32);
INSERT INTO kenning.outcome_batch VALUES
	(1, 1796013228440, 's0', 1, 5, 'process 23852', 'done'),
	(2, 1796013228440, 's1', 1, 5, 'process 23852', 'done'),
	(3, 1796013228440, 's2', 1, 5, 'process 23852', 'done'),
	(4, 1796013228440, 's3', 1, 5, 'process 23852', 'done');
INSERT INTO kenning.outcome_pattern VALUES
	('38c5a79edd955ff1', 'global', 'sequence', 'found', 0.8333333333333334, '{"id":"38c5a79edd955ff1","kind":"sequence","scope":"global","tool":"bash","head":"apt-get","error":"","error_fingerprint":null,"steps":[{"role":"change","tool":"bash","head":"make","input":"","example":"make test"}],"sessions":4,"times":4,"worked":4,"failed":0,"confidence":0.8333333333333334,"last_at":1796013228090,"evidence":[{"session":"s0","sequence":5},{"session":"s1","sequence":5},{"session":"s2","sequence":5},{"session":"s3","sequence":5}],"counterexamples":[]}', 1796013228090, NULL),
	('41471ad0dab4bbea', 'global', 'recovery', 'promoted', 0.8333333333333334, '{"id":"41471ad0dab4bbea","kind":"recovery","scope":"global","tool":"bash","head":"make","error":"make: jq: No such file or directory","error_fingerprint":"d132016d6a47fc45","steps":[{"role":"change","tool":"bash","head":"apt-get","input":"apt-get install -y jq","example":"apt-get install -y jq"}],"sessions":4,"times":4,"worked":4,"failed":0,"confidence":0.8333333333333334,"last_at":1796013228090,"evidence":[{"session":"s0","sequence":5},{"session":"s1","sequence":5},{"session":"s2","sequence":5},{"session":"s3","sequence":5}],"counterexamples":[]}', 1796013228090, 'memory/24a8136c06ee'),
	('668381497e6b528f', 'global', 'sequence', 'found', 0.8333333333333334, '{"id":"668381497e6b528f","kind":"sequence","scope":"global","tool":"rotate_keys","head":"","error":"","error_fingerprint":null,"steps":[{"role":"change","tool":"send_mail","head":"","input":"","example":"x"}],"sessions":4,"times":4,"worked":4,"failed":0,"confidence":0.8333333333333334,"last_at":1796013227724,"evidence":[{"session":"s0","sequence":2},{"session":"s1","sequence":2},{"session":"s2","sequence":2},{"session":"s3","sequence":2}],"counterexamples":[]}', 1796013227724, NULL),
	('f85f87e86ef14159', 'global', 'sequence', 'found', 0.8333333333333334, '{"id":"f85f87e86ef14159","kind":"sequence","scope":"global","tool":"bash","head":"make","error":"","error_fingerprint":null,"steps":[{"role":"change","tool":"bash","head":"apt-get","input":"","example":"apt-get install -y jq"}],"sessions":4,"times":4,"worked":4,"failed":0,"confidence":0.8333333333333334,"last_at":1796013227990,"evidence":[{"session":"s0","sequence":4},{"session":"s1","sequence":4},{"session":"s2","sequence":4},{"session":"s3","sequence":4}],"counterexamples":[]}', 1796013227990, NULL);
INSERT INTO kenning.outcome_session VALUES
	('s0', 'global', 5, 5, 5, 1796013218640, 1796013220138),
	('s1', 'global', 5, 5, 5, 1796013221218, 1796013222516),
	('s2', 'global', 5, 5, 5, 1796013223777, 1796013225538),
	('s3', 'global', 5, 5, 5, 1796013226725, 1796013228090);
INSERT INTO kenning.repository VALUES
	('/tmp/kenning-example', 'repo:0123');
INSERT INTO kenning.source VALUES
	(1, '/tmp/kenning-example/notes/farm.txt', '/tmp/kenning-example/notes', 'text', 'global', '\x40a0a3376aa6620c726779e9b3aba9c08755c78ce4ece73b63b8049eb5249071', 79, 1796013202229961735, 1796013202443),
	(2, '/tmp/kenning-example/notes/keys.md', '/tmp/kenning-example/notes', 'markdown', 'global', '\xe49fadd0cf2d2286fcc5573d5b292cbe6ab5fc32167b149797194a6ea5186336', 67, 1796013202233467061, 1796013202443),
	(3, '/tmp/kenning-example/notes/more.md', '/tmp/kenning-example/notes', 'markdown', 'global', '\xa1bd34d8e1c91e6ef854b52c7f94503935fb0c388a87cb24d3454abb63cb8238', 29, 1796013202233491247, 1796013202443),
	(4, '/tmp/kenning-example/notes/safe.md', '/tmp/kenning-example/notes', 'markdown', 'global', '\xaac9756518b60ca3d5b2cd1d69cffa76a4a3875d96d0a870e1b1bf9088913e5c', 39, 1796013202233516555, 1796013202443);
INSERT INTO kenning.tool VALUES
	('global', 'rotate_keys', '{"name":"rotate_keys","server":"","description":"Rotate the signing keys of a service","parameters":[],"results":[],"tags":[],"form":"88727394d22be968877e0c715f658061c8dc32fe35a4ab072ce17139ec67106f"}', 'b0262accea43309050835e546e72598d6f99931eb09f1f014b8341ab07fd5387', 'b0262accea43309050835e546e72598d6f99931eb09f1f014b8341ab07fd5387', '../tools.json', 1796013204728),
	('global', 'send_mail', '{"name":"send_mail","server":"","description":"Send a message to an address by mail","parameters":[],"results":[],"tags":[],"form":"22ad796f2a34a9172228380c4cd7eaa48f45a68c00fda719a0f21dac32aecb64"}', '352a16a83f969c897bf826c934a640c2c73024ba61b91fc0f5cf0759bd2729f5', '352a16a83f969c897bf826c934a640c2c73024ba61b91fc0f5cf0759bd2729f5', '../tools.json', 1796013204728);
INSERT INTO kenning.tool_cursor VALUES
	('s0', 'global', 5, 2),
	('s1', 'global', 5, 2),
	('s2', 'global', 5, 2),
	('s3', 'global', 5, 2);
INSERT INTO kenning.tool_outcome VALUES
	('s0', 1, 1796013218640, 'rotate_keys', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s0', 2, 1796013219828, 'send_mail', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s0', 3, 1796013219950, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 0, 1, 'make: jq: No such file or directory', 'v2:d132016d6a47fc45', NULL, 'global', NULL),
	('s0', 4, 1796013220081, 'bash', 'apt-get', 'apt-get install -y jq', '56d7e28a37cfb1169ef901e7fedfb3ec', 1, 0, '', NULL, NULL, 'global', NULL),
	('s0', 5, 1796013220138, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 1, 0, '', NULL, NULL, 'global', NULL),
	('s1', 1, 1796013221218, 'rotate_keys', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s1', 2, 1796013222226, 'send_mail', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s1', 3, 1796013222342, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 0, 1, 'make: jq: No such file or directory', 'v2:d132016d6a47fc45', NULL, 'global', NULL),
	('s1', 4, 1796013222451, 'bash', 'apt-get', 'apt-get install -y jq', '56d7e28a37cfb1169ef901e7fedfb3ec', 1, 0, '', NULL, NULL, 'global', NULL),
	('s1', 5, 1796013222516, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 1, 0, '', NULL, NULL, 'global', NULL),
	('s2', 1, 1796013223777, 'rotate_keys', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s2', 2, 1796013225182, 'send_mail', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s2', 3, 1796013225271, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 0, 1, 'make: jq: No such file or directory', 'v2:d132016d6a47fc45', NULL, 'global', NULL),
	('s2', 4, 1796013225433, 'bash', 'apt-get', 'apt-get install -y jq', '56d7e28a37cfb1169ef901e7fedfb3ec', 1, 0, '', NULL, NULL, 'global', NULL),
	('s2', 5, 1796013225538, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 1, 0, '', NULL, NULL, 'global', NULL),
	('s3', 1, 1796013226725, 'rotate_keys', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s3', 2, 1796013227724, 'send_mail', '', 'x', '2d711642b726b04401627ca9fbac32f5', 1, 0, '', NULL, NULL, 'global', NULL),
	('s3', 3, 1796013227807, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 0, 1, 'make: jq: No such file or directory', 'v2:d132016d6a47fc45', NULL, 'global', NULL),
	('s3', 4, 1796013227990, 'bash', 'apt-get', 'apt-get install -y jq', '56d7e28a37cfb1169ef901e7fedfb3ec', 1, 0, '', NULL, NULL, 'global', NULL),
	('s3', 5, 1796013228090, 'bash', 'make', 'make test', '22cc66aa7d2624b4eb4d5b61658614cd', 1, 0, '', NULL, NULL, 'global', NULL);
INSERT INTO kenning.tool_suggestion VALUES
	(1, 'tool', 'rotate_keys', 0, 0.9999822148245278, 1, 1),
	(1, 'tool', 'send_mail', 1, 0.44847673140438815, 0, 0),
	(2, 'tool', 'rotate_keys', 1, 0.8102683526652947, 0, NULL),
	(2, 'tool', 'send_mail', 0, 0.9981905219968606, 1, NULL),
	(3, 'tool', 'rotate_keys', 0, 0.9999998910799522, 1, 1),
	(3, 'tool', 'send_mail', 1, 0.18673523559926775, 0, 0),
	(4, 'tool', 'rotate_keys', 0, 0.9798219238502698, 1, NULL),
	(4, 'tool', 'send_mail', 1, 0.9532771244904663, 1, NULL),
	(5, 'tool', 'rotate_keys', 0, 0.9999893100145791, 1, 1),
	(5, 'tool', 'send_mail', 1, 0.4139038504455971, 0, 0),
	(6, 'tool', 'rotate_keys', 0, 0.9789089681138733, 1, NULL),
	(6, 'tool', 'send_mail', 1, 0.95500662478554, 1, NULL),
	(7, 'tool', 'rotate_keys', 0, 0.9999894278592101, 1, 1),
	(7, 'tool', 'send_mail', 1, 0.4131716269483733, 0, 0),
	(8, 'tool', 'rotate_keys', 0, 0.9801212692318583, 1, NULL),
	(8, 'tool', 'send_mail', 1, 0.9526846403086505, 1, NULL);
INSERT INTO kenning.tool_task VALUES
	(1, 'global', 's0', 0, 1796013218516, 'rotate the signing keys of the service', 'v2:54f3bcd094a65761', '["rotate_keys"]', 'done'),
	(2, 'global', 's0', 1, 1796013219678, 'send a message by mail', 'v2:c8015811ffd604c4', '[]', 'open'),
	(3, 'global', 's1', 0, 1796013221098, 'rotate the signing keys of the service', 'v2:54f3bcd094a65761', '["rotate_keys"]', 'done'),
	(4, 'global', 's1', 1, 1796013222068, 'send a message by mail', 'v2:c8015811ffd604c4', '[]', 'open'),
	(5, 'global', 's2', 0, 1796013223632, 'rotate the signing keys of the service', 'v2:54f3bcd094a65761', '["rotate_keys"]', 'done'),
	(6, 'global', 's2', 1, 1796013225059, 'send a message by mail', 'v2:c8015811ffd604c4', '[]', 'open'),
	(7, 'global', 's3', 0, 1796013226572, 'rotate the signing keys of the service', 'v2:54f3bcd094a65761', '["rotate_keys"]', 'done'),
	(8, 'global', 's3', 1, 1796013227635, 'send a message by mail', 'v2:c8015811ffd604c4', '[]', 'open');
INSERT INTO kenning.tool_threshold VALUES
	('global', 'tool', 0.872, 4, 0, 4, 0, '1111');
INSERT INTO kenning.usage VALUES
	('chunk/db5681a7e0641300', 1, 20787, 1, 1796013252588, 0),
	('git-ssh/gpg-no-secret-key', 1, 20787, 1, 1796013252588, 0),
	('git-ssh/ssh-agent-refused', 1, 20787, 1, 1796013252588, 0),
	('java/android-signing', 1, 20787, 1, 1796013252588, 0),
	('java/jarsigner', 1, 20787, 1, 1796013252588, 0);
INSERT INTO kenning.vector VALUES
	(1, 1, '\xbb21ea7a35c3060d55dc91d1e3d31a06', '\x4e6dd93dc623a83dfa4d093f22e96fbe209c8bbcb5b7a93dc27d273e391188be48d7e8bdff943dbe14f40a3e69a9233ec63da5bd8338bdbe5317123e5e15e03d1a358abc3f9381bedefe7fbe740e11bef2b306bcb17cbb3cc1761ebd163d6fbcb4d7c2bd285a143d95a2e6bdbc1b403c941b633ee3efc73d472524bd7d3a413e'),
	(2, 1, '\x77ccb09d0d5afd1780d7723c7574f0ad', '\xb4d4083e36d8ce3d05a10c3f3e874bbe6d815cbc05bca83d85581f3e35d07fbe7efc0cbeec2f2abe589eca3db0141f3ec3e423bd9930c3bec07a1f3ef6d06a3daa2e50bcc0668abe47ca77be51d50bbe289f4e3ba8f64fbc76fa0dbbb46df6bc842a18beab3e6e3dc54e00be4e38953ccda1563e34d7b13d5f8a1cbd98b4423e'),
	(3, 1, '\x4414ab2a388b603711c835197e09a007', '\x149d4f3e963f993d12da123f625d35beb5aac73cff8c993db9a8053e620c84bead11febd81100dbe64ffff3dc8200f3e8c568abd1f1db1be9506043eaf47313db727f1bc1a8780be02e864beedad30be712a903c369c12bd68854bbc0ff2bcbcbc9e3ebe95bc913dbbce1cbe2b34223d166e393e9396f63d8ad65dbdc050313e'),
	(4, 1, '\xf467a3f1fdbf5055c0ebc08e5f4dc1b1', '\xf81f143e81afa33d74cc0b3fc5e35cbe0b8f113ddaf1a63d3f392c3edf7c8abeab5805beb72945be29fdfc3d54d5203e0d2cddbd2448a5be560b133e5388e73d5b6a8ebca53b89be7ee274be93d8e6bd6d05a1bcc79b913c96721ebd59e08dba12cbfabd35ac353d393f01be2c8274bc376d643efa41d23d32ef91bdb3f0383e'),
	(5, 1, '\x55aa094ddc257f4aaa99811dbe097fd1', '\xb666513e51c2e83d8d1d1e3f7e0f4bbe142ced3c3934303d0863183e36f68cbea1d305be6c522abe5992223c66cc183e369be4bc1fb6b2bea7ae1d3e5f3fea3cf238fabc858b41be5bce41bebca658be372adf3a3c7c5dbd21ca343c109711bd0340dfbd17da8e3d8b85eebdd377823cab16323ed4566b3d2307cfbcd7381c3e'),
	(6, 1, '\x2635a7968950495ed355a4160bb6288d', '\x67d8af3d94b0a73d9545083fb31c5ebe549e10bdff9a913d48d02d3ef48880be30a3f7bde4b948be78cc0f3ecf1d2c3e447d8abd5823c6be36ff133ec9b7c83d6be804bc60be75be9f627cbea96321be8afc4dbc5e13c33cfe8522bda667e0bcb217c9bd578a313dfd1acbbd618daa3c328a683e3cd4bc3de13302bd18ca523e'),
	(7, 1, '\x6798dedaa09a5cf69ff2069d792ba62c', '\x149d4f3e963f993d12da123f625d35beb5aac73cff8c993db9a8053e620c84bead11febd81100dbe64ffff3dc8200f3e8c568abd1f1db1be9506043eaf47313db727f1bc1a8780be02e864beedad30be712a903c369c12bd68854bbc0ff2bcbcbc9e3ebe95bc913dbbce1cbe2b34223d166e393e9396f63d8ad65dbdc050313e');
